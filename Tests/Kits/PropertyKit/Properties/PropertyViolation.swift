/// A property that does not hold for some bytes.
public struct PropertyViolation: Error, Sendable, CustomStringConvertible {
  /// What should have been, and was not.
  public let description: String

  init(_ description: String) {
    self.description = description
  }

  /// Throws unless something is so.
  static func require(_ isSo: Bool, _ words: @autoclosure () -> String) throws(PropertyViolation) {
    if !isSo { throw PropertyViolation(words()) }
  }
}
