/// The error for a property that does not hold for some bytes.
public struct PropertyViolation: Error, Sendable, CustomStringConvertible {
  /// The requirement that was not met.
  public let description: String

  init(_ description: String) {
    self.description = description
  }

  /// Throws unless a condition is true.
  static func require(_ isSo: Bool, _ words: @autoclosure () -> String) throws(PropertyViolation) {
    if !isSo { throw PropertyViolation(words()) }
  }
}
