/// Why the app restores.
public enum RestorationReason: String, Sendable, CaseIterable {
  /// The first start, or one that must look like it.
  case pristine
  /// The user started the app.
  case launch
  /// The app did not end in good order.
  case recover
  /// The system brings the app back as it was.
  case restore

  /// All reasons.
  public static let all: Set<RestorationReason> = Set(allCases)
}
