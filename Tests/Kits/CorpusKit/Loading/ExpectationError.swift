/// An `.expect` file that is not written as `Corpus/README.md` says.
public struct ExpectationError: Error, Equatable, CustomStringConvertible {
  /// The line at fault; the first line is 1.
  public let line: Int

  /// The line, as text.
  public var description: String { "line \(line) of an expectation is not of the known form" }
}
