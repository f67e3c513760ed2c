/// An ancillary section (Spec 9.3).
public struct SlowSection: Hashable, Sendable {
  /// The four letters of the section code.
  public var code: [UInt8]
  /// The content.
  public var bytes: [UInt8]

  /// Creates a section.
  public init(code: [UInt8], bytes: [UInt8]) {
    self.code = code
    self.bytes = bytes
  }
}
