/// Where in the app's source something was registered.
public struct SourcePlace: Sendable, Hashable, CustomStringConvertible {
  /// Module and file, as `#fileID` gives them.
  public let fileID: String
  /// The line.
  public let line: Int

  /// Says a place.
  public init(fileID: StaticString, line: UInt) {
    self.fileID = "\(fileID)"
    self.line = Int(line)
  }

  /// File and line with a colon between them.
  public var description: String { "\(fileID):\(line)" }
}
