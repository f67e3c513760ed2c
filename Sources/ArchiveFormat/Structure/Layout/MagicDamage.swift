/// The forms that the magic takes after a transfer in text mode (the table in `Spec/registry.md`).
package enum MagicDamage: CaseIterable {
  case lineEndsToLineFeed, lineEndsToPair, lineFeedsToPair, lineEndsToReturn, lineFeedDropped, eighthBitLost, firstByteDropped
  case firstByteQuestionMark, latin1ToUTF8, replacedInUTF8, byteOrderMark

  /// The first bytes of a file with this damage.
  package var firstBytes: [UInt8] {
    switch self {
    case .lineEndsToLineFeed: [0x89, 0x52, 0x53, 0x54, 0x0A, 0x1A, 0x0A]
    case .lineEndsToPair: [0x89, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0D, 0x0A]
    case .lineFeedsToPair: [0x89, 0x52, 0x53, 0x54, 0x0D, 0x0D, 0x0A, 0x1A, 0x0D, 0x0A]
    case .lineEndsToReturn: [0x89, 0x52, 0x53, 0x54, 0x0D, 0x1A, 0x0D]
    case .lineFeedDropped: [0x89, 0x52, 0x53, 0x54, 0x0D, 0x1A, 0x0A]
    case .eighthBitLost: [0x09, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
    case .firstByteDropped: [0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
    case .firstByteQuestionMark: [0x3F, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
    case .latin1ToUTF8: [0xC2, 0x89, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
    case .replacedInUTF8: [0xEF, 0xBF, 0xBD, 0x52, 0x53, 0x54, 0x0D, 0x0A, 0x1A, 0x0A]
    case .byteOrderMark: [0xEF, 0xBB, 0xBF, 0x89, 0x52, 0x53, 0x54]
    }
  }

  /// Returns the offset of the first difference from the magic in a file that begins with a damaged form, or nil if it
  /// does not.
  package static func place(in bytes: Span<UInt8>) -> Int? {
    for damage in allCases {
      let form = damage.firstBytes
      guard bytes.count >= form.count, bytes.extracting(0..<form.count).compare(with: form.span) == 0 else { continue }
      return zip(form, ArchivePrefix.magic).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
    }
    return nil
  }
}
