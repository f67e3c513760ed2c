/// An ancillary section (Spec 9.3).
public struct SlowSection: Hashable, Sendable {
  /// Its four letters.
  public var code: [UInt8]
  /// Its bytes.
  public var bytes: [UInt8]

  /// Makes a section.
  public init(code: [UInt8], bytes: [UInt8]) {
    self.code = code
    self.bytes = bytes
  }
}
