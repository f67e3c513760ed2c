/// A format that is taken for a property list or comes from the same programs, and that is not read.
package enum OtherFormat: Sendable, Equatable {
  /// A binary property list of a later version than 0.
  case laterPropertyList(version: String)
  /// Text in UTF-16 or UTF-32 without a byte order mark.
  case wideTextWithoutMark
  /// A NIB archive, as Interface Builder compiles it.
  case nibArchive
  /// A typed stream of NSArchiver.
  case typedStream
  /// A pointer of Git LFS or git-annex, which stands for a file that was not downloaded.
  case largeFilePointer

  /// Recognizes a format by the first bytes of a file; nil for any other one.
  package init?(_ bytes: [UInt8]) {
    if bytes.starts(with: "bplist".utf8), bytes.count >= 8, bytes[6] != UInt8(ascii: "0") {
      self = .laterPropertyList(version: String(decoding: bytes[6..<8], as: UTF8.self))
    } else if bytes.starts(with: "NIBArchive".utf8) {
      self = .nibArchive
    } else if bytes.dropFirst().starts(with: [0x0B] + Array("streamtyped".utf8))
      || bytes.dropFirst().starts(with: [0x0B] + Array("typedstream".utf8))
    {
      self = .typedStream
    } else if bytes.starts(with: "version https://git-lfs.github.com/".utf8) || bytes.starts(with: "/annex/objects/".utf8) {
      self = .largeFilePointer
    } else if Self.beginsWithWideASCII(bytes) {
      self = .wideTextWithoutMark
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

  /// The format with its article, for people.
  package var words: String {
    switch self {
    case .laterPropertyList(let version): "a binary property list of version \(version)"
    case .wideTextWithoutMark: "text in UTF-16 or UTF-32 without a byte order mark"
    case .nibArchive: "a NIB archive"
    case .typedStream: "a typed stream, an archive of NSArchiver"
    case .largeFilePointer: "a pointer to a file that was not downloaded"
    }
  }

  /// A remedy, if there is an obvious one.
  package var remedy: String? {
    switch self {
    case .laterPropertyList: "Apple's systems read it: `plutil -convert binary1` writes version 00"
    case .wideTextWithoutMark: "`iconv -f UTF-16LE -t UTF-8` converts it; UTF-16BE if its first byte is zero"
    case .nibArchive: "it is the user interface of an app, and holds no state; `ibtool` shows it"
    case .typedStream: "NSUnarchiver of an Apple system reads it, and NSKeyedArchiver writes what it has read as a keyed archive"
    case .largeFilePointer: "`git lfs pull` or `git annex get` fetches the file"
    }
  }
}
