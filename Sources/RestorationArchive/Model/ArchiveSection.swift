import ArchiveFormat
public import FoundationValues

/// An ancillary section of an archive: data of an app or tool that this format does not define (Spec §9.3).
public struct ArchiveSection: Sendable, Equatable {
  /// The section code: four ASCII letters whose case has meaning; the first is lowercase, the third uppercase.
  public let code: String
  /// The content.
  ///
  /// If the section is safe to copy, its content must not refer to offsets or indexes in other parts of the file.
  public var data: Data

  /// Creates a section.
  ///
  /// - Throws: `section-code` if `code` is not a valid ancillary section code.
  public init(code: String, data: Data) throws(ArchiveError) {
    guard let parsed = SectionCode(text: code), !parsed.isCritical else {
      throw ArchiveError(.sectionCode, "section code", expected: "four letters, the first lowercase, the third uppercase")
    }
    self.init(parsed, data: data)
  }

  init(_ code: SectionCode, data: Data) {
    self.code = code.text
    self.data = data
  }

  /// Whether the section can be preserved when the rest of the archive changes.
  public var isSafeToCopy: Bool { formatCode?.isSafeToCopy == true }

  var formatCode: SectionCode? { SectionCode(text: code) }
}

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
  public var description: String { rawValue.text(width: 16, radix: 16) }

  /// Creates the digest that the prefix of an archive states, which is not verified; nil for fewer bytes than a prefix
  /// has.
  package init?(ofArchive data: Data) {
    guard data.count >= ArchivePrefix.byteCount else { return nil }
    rawValue = data.span.uint64(at: ArchivePrefix.FieldOffset.contentDigest)
  }
}

/// The name from which a provider creates a node's object, like a storyboard name and identifier in UIKit
/// (Spec §3.2).
public struct ProviderReference: Sendable {
  /// The name of the provider.
  public var name: String
  /// The object's name within the provider.
  public var identifier: String

  /// Creates a reference.
  ///
  /// Only names of 1 to 1,024 bytes can be stored.
  public init(name: String, identifier: String) {
    self.name = name
    self.identifier = identifier
  }
}

extension ProviderReference: Equatable {
  /// Returns whether both names have the same bytes.
  public static func == (left: ProviderReference, right: ProviderReference) -> Bool {
    left.name.isIdenticalText(to: right.name) && left.identifier.isIdenticalText(to: right.identifier)
  }
}
