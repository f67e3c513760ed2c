#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

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
      throw ArchiveError(
        FormatError(.sectionCode, at: nil, "section code", expected: .text("four letters, the first lowercase, the third uppercase")))
    }
    self.init(parsed, data: data)
  }

  init(_ code: SectionCode, data: Data) {
    self.code = code.text
    self.data = data
  }

  /// Whether the section can be preserved when the rest of the archive changes.
  public var isSafeToCopy: Bool { formatCode?.isSafeToCopy == true }

  /// Whether the section is private to one app or tool, and not registered.
  public var isPrivate: Bool { formatCode?.isPrivate == true }

  var formatCode: SectionCode? { SectionCode(text: code) }
}
