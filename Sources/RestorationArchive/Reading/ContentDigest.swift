/// A digest of an archive's content, excluding its volatile header (Spec §4.6).
///
/// Archives with the same digest have the same content, unless someone forged a collision: the digest is a 64-bit
/// checksum, not a signature.
public struct ContentDigest: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The digest as a number.
  public let rawValue: UInt64

  /// Creates a digest from its number.
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The digest as sixteen hexadecimal digits.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
