/// The state that exists for a newly registered object.
public enum RegistrationResult: String, Sendable {
  /// Not known yet: the state has not arrived, or has not been restored.
  case pending
  /// No state was saved for the path, or another object has claimed it.
  case none
  /// The state was decoded.
  case data
  /// State exists, but could not be decoded.
  case failed
}
