/// What is wrong with a `.hex` source, and in which line.
public struct HexNotationError: Error, Equatable, CustomStringConvertible {
  /// The line at fault; the first line is 1.
  public let line: Int
  /// What is wrong there.
  public let problem: String

  /// Makes an error for one line of a source.
  ///
  /// - Parameters:
  ///   - line: The line at fault; the first line is 1.
  ///   - problem: What is wrong there.
  public init(line: Int, problem: String) {
    self.line = line
    self.problem = problem
  }

  /// The line and the problem, as one line of text.
  public var description: String { "line \(line): \(problem)" }
}
