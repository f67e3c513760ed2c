/// The restoration result for a single object.
public enum RestoredState: String, Sendable {
  /// No state was saved for the object, or the app starts fresh.
  case none
  /// The state was decoded.
  case data
  /// State exists, but was not decoded, or only in part.
  case failed
}
