/// The saved state of an AppKit app: the files `windows.plist` and `data.data` of a `.savedState` folder.
///
/// The records are encrypted, but the keys lie beside them and nothing is authenticated: the content is as trustworthy
/// as any other file. `data.data` is a log. The last record of a window and identifier is current; records of closed
/// windows have no key any more.
package struct SavedState: Sendable {
  /// A window, the menu bar or the app in `windows.plist`.
  package struct Window: Sendable {
    /// The number that the records use; nil if it is lost.
    package let number: UInt32?
    /// The key of its records; nil if it is lost.
    package let key: [UInt8]?
    /// The number of its dictionary in the list.
    package let object: Int
  }

  /// A current record.
  package struct Current: Sendable {
    package let record: SavedStateRecord
    package let content: SavedStateContent
  }

  /// The window list.
  package let list: PropertyList
  /// The oddities of the window list, and what was lost of it if it was salvaged.
  package let oddities: [PropertyListOddity]
  /// The windows, in file order.
  package let windows: [Window]
  /// The current records, in file order.
  package private(set) var records: [Current] = []
  /// The number of records in the log.
  package private(set) var recordCount = 0
  /// The number of records that a later one of the same window and identifier replaces.
  package private(set) var supersededCount = 0
  /// The number of records of windows that the list does not have, which cannot be decrypted.
  package private(set) var keylessCount = 0
  /// The offsets of the records whose window has a key that does not fit.
  package private(set) var undecipherable: [Int] = []
  /// The fault that ends the log early, such as a record that was cut off; nil if the log is whole.
  package let fault: KeyedArchiveError?

  /// Reads the files `windows.plist`, and `data.data` if there is one.
  ///
  /// - Throws: An error in the window list. An error in the log ends it, and is in ``fault``.
  /// - Complexity: O(n) in the length of the files.
  package init(windows bytes: [UInt8], data log: [UInt8]?, _ context: ImportContext) throws(KeyedArchiveError) {
    do throws(KeyedArchiveError) {
      list = try PropertyList(decoding: bytes, context)
      windows = try Self.windows(of: list, context)
      oddities = list.oddities + context.takeOddities()
    } catch {
      throw error.within("windows.plist")
    }
    let data = log ?? []
    let keys = Dictionary(windows.compactMap { window in window.number.map { ($0, window.key) } }) { first, _ in first }
    var current: [Int: Current] = [:]
    var latest: [Name: Int] = [:]
    let log = Self.records(of: data)
    fault = log.fault?.within("data.data")
    for record in log.records {
      try context.create(at: record.range.lowerBound)
      try context.spend(record.range.count, at: record.range.lowerBound)
      defer { recordCount += 1 }
      guard let key = keys[record.window] ?? nil else {
        keylessCount += 1
        continue
      }
      guard let content = SavedStateContent(record, of: data, key: key) else {
        undecipherable.append(record.range.lowerBound)
        continue
      }
      let name = Name(window: record.window, identifier: Array(content.identifier.utf8))
      if let earlier = latest[name] {
        current[earlier] = nil
        supersededCount += 1
      }
      latest[name] = recordCount
      current[recordCount] = Current(record: record, content: content)
    }
    records = current.sorted { $0.key < $1.key }.map(\.value)
  }

  private struct Name: Hashable {
    let window: UInt32
    let identifier: [UInt8]
  }

  /// Returns the records of a log up to the first fault.
  package static func records(of data: [UInt8]) -> (records: [SavedStateRecord], fault: KeyedArchiveError?) {
    var records: [SavedStateRecord] = []
    var position = 0
    while position < data.count {
      do throws(KeyedArchiveError) {
        let record = try SavedStateRecord(data, at: position)
        records.append(record)
        position = record.range.upperBound
      } catch {
        return (records, error)
      }
    }
    return (records, nil)
  }

  // MARK: Windows

  /// Whether a property list looks like a list of windows.
  package static func isWindowList(_ list: PropertyList) -> Bool {
    guard case .array(let elements) = list[list.top], let first = elements.first else { return false }
    return list.value("NSWindowID", of: first) != nil
  }

  static func windows(of list: PropertyList, _ context: ImportContext) throws(KeyedArchiveError) -> [Window] {
    guard case .array(let elements) = list[list.top] else {
      throw KeyedArchiveError(.windowList, at: list.offset(of: list.top), "list of windows", expected: "an array")
    }
    var windows: [Window] = []
    for element in elements where !list.lost.contains(element) {
      try context.create(1 + (list[element].contents?.count ?? 0), at: list.offset(of: element))
      if case .dictionary = list[element] {
        windows.append(try window(of: list, element, context))
      } else {
        let fault = KeyedArchiveError(.windowList, at: list.offset(of: element), "window", expected: "a dictionary")
        try context.lose(fault, as: "the window is left out")
      }
    }
    return windows
  }

  private static func window(of list: PropertyList, _ element: Int, _ context: ImportContext) throws(KeyedArchiveError) -> Window {
    var (number, key): (UInt32?, [UInt8]?) = (nil, nil)
    if let place = list.value("NSWindowID", of: element), case .integer(let value) = list[place] { number = UInt32(exactly: value) }
    if let place = list.value("NSDataKey", of: element), case .data(let bytes) = list[place], bytes.count == AES128.blockByteCount {
      key = bytes
    }
    func fault(_ key: String, _ expected: String) -> KeyedArchiveError {
      KeyedArchiveError(.windowList, at: list.offset(of: element), key, expected: expected)
    }
    if number == nil { try context.lose(fault("NSWindowID", "a number of 32 bits"), as: "the window is below :unplaced") }
    if key == nil { try context.lose(fault("NSDataKey", "16 bytes"), as: "the records of the window are lost") }
    return Window(number: number, key: key, object: element)
  }
}

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
    let length = Int(clamping: integer(12))
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

  /// Decrypts the content of a record: `u32 flags | u32 length | identifier | chunk* | 0 to 15 zero bytes`.
  ///
  /// It is nil if the result has no sense, which means that the key belongs to another record.
  package init?(_ record: SavedStateRecord, of bytes: [UInt8], key: [UInt8]) {
    let start = [UInt8](repeating: 0, count: AES128.blockByteCount)
    let plaintext = AES128(key: key).decrypted(bytes[record.content], initializationVector: start)
    func integer(_ place: Int) -> Int? {
      guard place + 4 <= plaintext.count else { return nil }
      return Int(clamping: BinaryPropertyListReader.integer(plaintext[place..<(place + 4)]))
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
