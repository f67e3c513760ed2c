/// A saved state of AppKit that is assembled record by record, and may be wrong in any place.
public struct RawSavedState: Sendable {
  /// The windows, each with its dictionary.
  public var windows: [PlainPropertyList] = []
  /// The log.
  public var log: [UInt8] = []

  /// Creates a saved state without windows and records.
  public init() {}

  /// The content of `windows.plist`.
  public var windowList: [UInt8] { RawPropertyList(.array(windows)).bytes }

  /// A key that depends on the number of a window.
  public static func key(_ window: UInt32) -> [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: Int(window) &* 31 &+ $0 &* 7 &+ 1) }
  }

  /// Adds a window with its key.
  public mutating func addWindow(_ window: UInt32, _ entries: [(String, PlainPropertyList)] = []) {
    windows.append(.object([("NSWindowID", .integer(Int128(window))), ("NSDataKey", .data(Self.key(window)))] + entries))
  }

  /// Adds a record of chunks to the log.
  public mutating func addRecord(
    _ window: UInt32, _ identifier: String, _ chunks: [(String, [UInt8])], flags: UInt64 = 0, version: String = "1000", key: [UInt8]? = nil
  ) {
    var plain = RawPropertyList.integer(flags, 4) + RawPropertyList.integer(UInt64(identifier.utf8.count), 4) + identifier.utf8
    for (tag, bytes) in chunks { plain += Array(tag.utf8) + RawPropertyList.integer(UInt64(bytes.count), 4) + bytes }
    addRecord(window, plaintext: plain, version: version, key: key)
  }

  /// Adds a record of any plaintext, which is filled up with zeros.
  public mutating func addRecord(_ window: UInt32, plaintext: [UInt8], version: String = "1000", key: [UInt8]? = nil) {
    let padded = plaintext + [UInt8](repeating: 0, count: (16 - plaintext.count % 16) % 16)
    log += Array("NSCR".utf8) + version.utf8 + RawPropertyList.integer(UInt64(window), 4)
    log += RawPropertyList.integer(UInt64(padded.count + 16), 4)
    log += AESEncryption.encrypted(
      padded, key: key ?? Self.key(window), initializationVector: [UInt8](repeating: 0, count: 16))
  }
}
