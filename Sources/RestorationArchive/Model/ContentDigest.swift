#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import ArchiveFormat

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
  public var description: String { BaseDigest(rawValue).text }

  /// Creates the digest that the prefix of an archive states, which is not verified; nil for fewer bytes than a prefix
  /// has.
  package init?(ofArchive data: Data) {
    guard data.count >= ArchivePrefix.byteCount else { return nil }
    rawValue = data.span.uint64(at: ArchivePrefix.FieldOffset.contentDigest)
  }
}
