/// How state is preserved.
public struct PreservationOptions: Sendable {
  /// What to do about two objects with the same path.
  public enum Duplicates: String, Sendable {
    /// The first one in saved order is saved, all are reported.
    case keepFirst = "keep-first"
    /// Preserving throws: for tests and debug builds.
    case fail
  }

  /// What to do about two objects with the same path.
  public var duplicates: Duplicates
  /// Whether an object that cannot encode its state makes preserving throw, instead of keeping the state that it had before.
  public var isStrict: Bool
  /// For how long, and how much, state that nobody took is carried over.
  public var carryLimits: CarryLimits

  /// Makes options.
  public init(duplicates: Duplicates = .keepFirst, isStrict: Bool = false, carryLimits: CarryLimits = .standard) {
    self.duplicates = duplicates
    self.isStrict = isStrict
    self.carryLimits = carryLimits
  }
}
