import RestorationArchive

/// The schema of the application state, stored in the archive header (Spec R-3.5-4).
///
/// Nodes store this in their type and attributes, but record 0 of an archive can have neither.
struct ApplicationSchema: Equatable {
  private static let versionKey = "restoration.applicationSchema"
  private static let unknownKeysVersionKey = "restoration.applicationKeptSchema"
  private static let unknownKeysKey = "restoration.applicationKeptKeys"
  /// The size limit of the unknown keys; headers stay short, because they are read before anything else.
  private static let unknownKeysLimit = 4096

  /// The schema version.
  private(set) var version: Int
  /// The newer schema version that the unknown keys belong to.
  private(set) var unknownKeysVersion = 0
  /// The keys that are preserved for a build that knows them.
  private(set) var unknownKeys: [String] = []

  /// Creates a schema version without unknown keys.
  init(version: Int) {
    self.version = version
  }

  /// Reads the schema from a header; invalid values count as missing.
  init(of header: ArchiveHeader) {
    version = Self.number(header.additional[Self.versionKey])
    unknownKeysVersion = Self.number(header.additional[Self.unknownKeysVersionKey])
    guard unknownKeysVersion > version, case .string(let text)? = header.additional[Self.unknownKeysKey] else {
      unknownKeysVersion = 0
      return
    }
    // A part with an invalid escape is the name of no key.
    unknownKeys = text.utf8.split(separator: UInt8(ascii: "/")).compactMap { try? PathEscapes.path.unescape($0, at: 0) }
  }

  /// Records the upgrade to a later version; unknown keys of that version or an earlier one are then known.
  mutating func upgrade(to later: Int) {
    version = later
    if unknownKeysVersion <= later { (unknownKeysVersion, unknownKeys) = (0, []) }
  }

  /// Records that keys of a newer version are kept.
  ///
  /// - Returns: Whether the keys fit into a header.
  mutating func keep(_ keys: [String], of version: Int) -> Bool {
    guard keys.reduce(0, { $0 + 2 * $1.utf8.count + 1 }) <= Self.unknownKeysLimit else { return false }
    (unknownKeysVersion, unknownKeys) = (version, keys)
    return true
  }

  /// Writes the schema into the header of an archive.
  func note(in writer: ArchiveWriter) {
    writer.setHeader(version == 0 ? nil : .integer(version), forKey: Self.versionKey)
    writer.setHeader(unknownKeys.isEmpty ? nil : .integer(unknownKeysVersion), forKey: Self.unknownKeysVersionKey)
    // Like the components of a path, but keys may be longer and more numerous.
    let text = unknownKeys.map(PathEscapes.path.escape).joined(separator: "/")
    writer.setHeader(unknownKeys.isEmpty ? nil : .string(text), forKey: Self.unknownKeysKey)
  }

  private static func number(_ value: ArchiveValue?) -> Int {
    guard case .integer(let number)? = value else { return 0 }
    return UInt32(number.description).map { Int($0) } ?? 0
  }
}
