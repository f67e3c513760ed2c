import RestorationArchive

/// A format that is taken for a property list or comes from the same programs, and that is not read.
package struct OtherFormat: Sendable {
  /// The format with its article, for people.
  package let words: String
  /// What to do about such a file.
  package let remedy: String

  /// Recognizes a format by the first bytes of a file; nil for any other one.
  package init?(_ bytes: [UInt8]) {
    if bytes.starts(with: "bplist".utf8), bytes.count >= 8, bytes[6] != UInt8(ascii: "0") {
      words = "a binary property list of version \(String(decoding: bytes[6..<8], as: UTF8.self).escapedForDisplay)"
      remedy = "Apple's systems read it: `plutil -convert binary1` writes version 00"
    } else if bytes.starts(with: "NIBArchive".utf8) {
      words = "a NIB archive"
      remedy = "it is the user interface of an app, and holds no state; `ibtool` shows it"
    } else if ["streamtyped", "typedstream"].contains(where: { bytes.dropFirst().starts(with: [0x0B] + Array($0.utf8)) }) {
      words = "a typed stream, an archive of NSArchiver"
      remedy = "NSUnarchiver of an Apple system reads it, and NSKeyedArchiver writes what it has read as a keyed archive"
    } else if bytes.starts(with: "version https://git-lfs.github.com/".utf8) || bytes.starts(with: "/annex/objects/".utf8) {
      // Git LFS or git-annex has left it in the place of the file.
      words = "a pointer to a file that was not downloaded"
      remedy = "`git lfs pull` or `git annex get` fetches the file"
    } else if Self.beginsWithWideASCII(bytes) {
      words = "text in UTF-16 or UTF-32 without a byte order mark"
      remedy = "`iconv -f UTF-16LE -t UTF-8` converts it; UTF-16BE if its first byte is zero"
    } else {
      return nil
    }
  }

  /// Whether the first four code units are characters of ASCII in two or four bytes each.
  private static func beginsWithWideASCII(_ bytes: [UInt8]) -> Bool {
    for width in [2, 4] where bytes.count >= 4 * width {
      for place in [0, width - 1] {
        let units = (0..<4).map { bytes[(width * $0)..<(width * ($0 + 1))] }
        let isText = units.allSatisfy { unit in
          unit.enumerated().allSatisfy { $0 == place ? (0x09...0x7E).contains($1) : $1 == 0 }
        }
        if isText { return true }
      }
    }
    return false
  }
}
