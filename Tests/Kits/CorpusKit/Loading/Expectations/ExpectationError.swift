/// The error for an `.expect` file that does not have the format described in `Corpus/README.md`.
public struct ExpectationError: Error, Equatable, CustomStringConvertible {
  /// The number of the invalid line, counting from 1.
  public let line: Int

  /// The error message with the line number.
  public var description: String { "line \(line) of an expectation is not of the known form" }
}
