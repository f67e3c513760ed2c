/// The source location of a registration.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// The module and file, in `#fileID` format.
  public let fileID: String
  /// The line.
  public let line: Int

  /// Creates a source location.
  public init(fileID: StaticString, line: UInt) {
    self.fileID = "\(fileID)"
    self.line = Int(line)
  }

  /// The file and line, separated by a colon.
  public var description: String { "\(fileID):\(line)" }
}
