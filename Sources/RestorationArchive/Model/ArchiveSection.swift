#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// A part of an archive that this format does not define: an app's or a tool's own (Spec §9.3).
public struct ArchiveSection: Sendable, Equatable {
  /// Four ASCII letters whose case carries rules; the first is small and the third a capital.
  public let code: String
  /// The content.
  ///
  /// If the section is safe to copy, it must not hold offsets or indexes of other parts of the file.
  public var data: Data

  /// Makes a section.
  ///
  /// - Throws: `section-code` if the code is not that of an ancillary section.
  public init(code: String, data: Data) throws(ArchiveError) {
    guard let parsed = SectionCode(text: code), !parsed.isCritical else {
      throw ArchiveError(
        FormatError(.sectionCode, at: nil, "section code", expected: .text("four letters, the first small, the third a capital")))
    }
    self.init(parsed, data: data)
  }

  init(_ code: SectionCode, data: Data) {
    self.code = code.text
    self.data = data
  }

  /// Whether the section can be kept when the rest of the archive changes.
  public var isSafeToCopy: Bool { formatCode?.isSafeToCopy == true }

  /// Whether the section is the business of one app or tool and not registered.
  public var isPrivate: Bool { formatCode?.isPrivate == true }

  var formatCode: SectionCode? { SectionCode(text: code) }
}
