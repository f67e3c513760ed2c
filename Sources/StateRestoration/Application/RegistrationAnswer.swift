/// What there is for an object that registers.
public enum RegistrationAnswer: String, Sendable {
  /// It is not known yet: the state is still to come, or to be restored.
  case pending
  /// Nothing was saved for its path, or something took it already.
  case none
  /// Its state was decoded.
  case data
  /// There was state, but it could not be decoded.
  case failed
}
