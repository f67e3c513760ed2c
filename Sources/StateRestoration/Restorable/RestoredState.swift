/// What there was for an object when restoring finished.
public enum RestoredState: String, Sendable {
  /// Nothing was saved for it, or the app starts fresh.
  case none
  /// Its state was decoded.
  case data
  /// There was state, but it was not decoded, or not to the end.
  case failed
}
