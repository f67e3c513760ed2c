/// The reason for a launch that restores.
public enum RestorationReason: String, Sendable, CaseIterable {
  /// The first launch, or one that must look like it.
  case pristine
  /// The user launched the app.
  case launch
  /// The app previously ended abnormally.
  case recover
  /// The system returns the app to its previous state.
  case restore

  /// All reasons.
  public static let all: Set<RestorationReason> = Set(allCases)
}
