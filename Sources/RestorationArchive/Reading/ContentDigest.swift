/// Identifies what was saved, without what says when and by what (Spec §4.6).
///
/// Two archives with the same digest have the same content, unless somebody chose them so: it is a checksum of 64 bits and no signature.
public struct ContentDigest: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The digest as a number.
  public let rawValue: UInt64

  /// Makes a digest of its number.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Sixteen hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
