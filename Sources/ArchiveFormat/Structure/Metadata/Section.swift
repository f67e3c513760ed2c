/// The four letters that identify a section; their case carries rules (Spec §9.3).
package struct SectionCode: Sendable, Hashable {
  /// The letters as a number with the same order.
  package let rawValue: UInt32

  /// Node records.
  package static let nodes = SectionCode(letters: 0x4E, 0x4F, 0x44, 0x45)
  /// Long identifiers.
  package static let strings = SectionCode(letters: 0x53, 0x54, 0x52, 0x53)
  /// State records.
  package static let states = SectionCode(letters: 0x53, 0x54, 0x41, 0x54)
  /// The changes of a link (Spec §15.2).
  package static let link = SectionCode(letters: 0x4C, 0x49, 0x4E, 0x4B)
  /// The sections of every archive, in order.
  package static let required = [nodes, strings, states]

  private init(letters first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) {
    rawValue = UInt32(first) << 24 | UInt32(second) << 16 | UInt32(third) << 8 | UInt32(fourth)
  }

  /// Creates the code from the bytes at `offset`, or returns nil if they are not four letters of which the third is a
  /// capital (rule R-4.3-3).
  package init?(_ bytes: Span<UInt8>, at offset: Int) {
    self.init(letters: bytes[offset], bytes[offset + 1], bytes[offset + 2], bytes[offset + 3])
    for shift: UInt32 in [0, 8, 16, 24] {
      let letter = UInt8(truncatingIfNeeded: rawValue >> shift) | 0x20
      guard (0x61...0x7A).contains(letter) else { return nil }
    }
    if rawValue & 0x2000 != 0 { return nil }
  }

  /// Creates the code with this text, or returns nil if the text is not a section code.
  package init?(text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 4 else { return nil }
    self.init(bytes.span, at: 0)
  }

  /// Whether a reader that does not know the section must refuse the file.
  package var isCritical: Bool { rawValue & 0x2000_0000 == 0 }
  /// Whether the section belongs to one app or tool and is not registered.
  package var isPrivate: Bool { rawValue & 0x20_0000 != 0 }
  /// Whether the section can be preserved when the rest of the archive changes.
  package var isSafeToCopy: Bool { rawValue & 0x20 != 0 }

  /// The four bytes.
  package var bytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
  }

  /// The four letters.
  package var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A section, as listed in the directory (Spec §4.3.1).
package struct SectionEntry: Sendable, Equatable {
  /// The code of the section.
  package let code: SectionCode
  /// The length of the section.
  package let length: Int
  /// The range of the section, from the start of the body.
  package let range: Range<Int>

  /// Creates an entry.
  package init(code: SectionCode, length: Int, range: Range<Int>) {
    self.code = code
    self.length = length
    self.range = range
  }
}
