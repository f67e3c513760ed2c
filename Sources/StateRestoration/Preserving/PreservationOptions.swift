/// Options for preserving state.
public struct PreservationOptions: Sendable {
  /// The strategy for objects with the same path.
  public enum Duplicates: String, Sendable {
    /// Saves the first object in saved order, and reports all of them.
    case keepFirst = "keep-first"
    /// Makes preserving throw; intended for tests and debug builds.
    case fail
  }

  /// The strategy for objects with the same path.
  public var duplicates: Duplicates
  /// Whether preserving throws if an object cannot encode its state, instead of keeping the object's previous state.
  public var isStrict: Bool
  /// The age and size limits of unclaimed state that is carried over.
  public var carryLimits: CarryLimits

  /// Creates options.
  public init(duplicates: Duplicates = .keepFirst, isStrict: Bool = false, carryLimits: CarryLimits = .standard) {
    self.duplicates = duplicates
    self.isStrict = isStrict
    self.carryLimits = carryLimits
  }
}
