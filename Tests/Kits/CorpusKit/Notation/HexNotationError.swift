/// An error in a line of a `.hex` source.
public struct HexNotationError: Error, Equatable, CustomStringConvertible {
  /// The number of the line, counting from 1.
  public let line: Int
  /// The problem with the line.
  public let problem: String

  /// Creates an error for one line of a source.
  ///
  /// - Parameters:
  ///   - line: The number of the line, counting from 1.
  ///   - problem: The problem with the line.
  public init(line: Int, problem: String) {
    self.line = line
    self.problem = problem
  }

  /// The line number and the problem, as one line of text.
  public var description: String { "line \(line): \(problem)" }
}
