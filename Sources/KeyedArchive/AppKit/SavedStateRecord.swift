/// A record of the file `data.data` in a saved state of AppKit, before decryption.
///
///     0  char[4] "NSCR"      4  char[4] "1000" or "0006"
///     8  u32 window number   12  u32 record length, a multiple of 16 that includes this header
///     16 ciphertext
package struct SavedStateRecord: Sendable {
  package static let magic = Array("NSCR".utf8)
  static let headerByteCount = 16
  private static let versions = ["1000", "0006"].map { Array($0.utf8) }

  /// The number of the window, or 4294967295 for the app.
  package let window: UInt32
  /// The version in the record: `1000` or the older `0006`.
  package let version: String
  /// The range of the record in the file, its header included.
  package let range: Range<Int>

  /// The range of the ciphertext.
  package var content: Range<Int> { (range.lowerBound + Self.headerByteCount)..<range.upperBound }

  /// Reads the record at an offset.
  ///
  /// - Throws: `state-record`.
  package init(_ bytes: [UInt8], at offset: Int) throws(KeyedArchiveError) {
    guard bytes.count - offset >= Self.headerByteCount else {
      throw KeyedArchiveError(.stateRecord, at: offset, "length of a header", expected: "16", found: "\(bytes.count - offset)")
    }
    func integer(_ place: Int) -> UInt32 { UInt32(BinaryPropertyListReader.integer(bytes[(offset + place)..<(offset + place + 4)])) }
    guard bytes[offset...].starts(with: Self.magic) else { throw KeyedArchiveError(.stateRecord, at: offset, "record", expected: "NSCR") }
    let version = Array(bytes[(offset + 4)..<(offset + 8)])
    guard Self.versions.contains(version) else {
      throw KeyedArchiveError(.stateRecord, at: offset + 4, "version of a record", expected: "1000 or 0006")
    }
    let length = Int(integer(12))
    guard length >= Self.headerByteCount, length % AES128.blockByteCount == 0, length <= bytes.count - offset else {
      throw KeyedArchiveError(
        .stateRecord, at: offset + 12, "length of a record", expected: "a multiple of 16 up to \(bytes.count - offset)",
        found: "\(length)")
    }
    window = integer(8)
    self.version = String(decoding: version, as: UTF8.self)
    range = offset..<(offset + length)
  }
}

/// The decrypted content of a record.
package struct SavedStateContent: Sendable {
  /// A piece of state: its tag, and the range of its bytes in the plaintext.
  package struct Chunk: Sendable {
    /// `kyds`, `rchv`, `surl`, or another tag.
    package let tag: String
    /// The range of the content.
    package let range: Range<Int>
  }

  /// The decrypted bytes.
  package let plaintext: [UInt8]
  /// 0, or 2 for the record of the menu bar.
  package let flags: UInt32
  /// The identifier of the object.
  package let identifier: String
  /// The pieces, in file order.
  package let chunks: [Chunk]

  /// Decrypts the content of a record; nil if the result has no sense, which means that the key belongs to another
  /// record.
  package init?(_ record: SavedStateRecord, of bytes: [UInt8], key: [UInt8]) {
    let cipher = AES128(key: key)
    self.init(
      plaintext: cipher.decrypted(bytes[record.content], initializationVector: [UInt8](repeating: 0, count: AES128.blockByteCount)))
  }

  /// Reads decrypted bytes: `u32 flags | u32 length | identifier | chunk* | 0 to 15 zero bytes`.
  init?(plaintext: [UInt8]) {
    func integer(_ place: Int) -> Int? {
      guard place + 4 <= plaintext.count else { return nil }
      return Int(BinaryPropertyListReader.integer(plaintext[place..<(place + 4)]))
    }
    guard let flags = integer(0), flags < 256, let length = integer(4), length <= plaintext.count - 8,
      let identifier = String(validating: plaintext[8..<(8 + length)], as: UTF8.self)
    else { return nil }
    var chunks: [Chunk] = []
    var position = 8 + length
    while plaintext.count - position >= 8, plaintext[position] != 0 {
      guard let length = integer(position + 4), length <= plaintext.count - position - 8,
        let tag = String(validating: plaintext[position..<(position + 4)], as: UTF8.self)
      else { return nil }
      chunks.append(Chunk(tag: tag, range: (position + 8)..<(position + 8 + length)))
      position += 8 + length
    }
    let rest = plaintext[position...]
    guard rest.count < AES128.blockByteCount, rest.allSatisfy({ $0 == 0 }) else { return nil }
    self.plaintext = plaintext
    self.flags = UInt32(flags)
    self.identifier = identifier
    self.chunks = chunks
  }
}
