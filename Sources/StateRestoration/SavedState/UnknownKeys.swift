import RestorationArchive

/// Restored state of an object, or of the delegate, whose build may not know all keys.
struct UnknownKeys {
  /// The object that decoded the state, nil for the delegate; the unknown keys do not apply to another object at the same path.
  weak var object: (any Restorable)?
  /// The entries to preserve unless the object writes them itself.
  private(set) var state: ArchiveDictionary = [:]
  /// The errors of entries that cannot be preserved; an error has no key if the affected keys are unknown.
  private(set) var errors: [ArchiveError] = []
  /// The schema version of the entries.
  private(set) var schema: Int

  /// Collects the state of a node to preserve for its object; nil if there is none.
  ///
  /// This is the entire state if its schema is newer or the type requests it; otherwise it is the keys that an earlier
  /// save preserved. An unreadable value, such as one of a later type, affects only its own key. A key that the object has
  /// read is known to it: if it is not written again, it was cleared.
  init?(_ node: NodeReader, object: any Restorable, read: ReadKeys?) {
    let kind = type(of: object)
    let isWhole = node.schemaVersion > kind.restorationSchemaVersion || kind.keepsUnknownKeys
    guard isWhole || node.hasAttributes else { return nil }
    self.object = object
    schema = node.schemaVersion
    do throws(ArchiveError) {
      let contents = try ReadableContents(of: node)
      if isWhole {
        (state, errors) = (contents.state, contents.stateErrors)
        // Keys of a still later build may be among them.
        schema = max(schema, try Self.keptSchema(of: contents) ?? 0)
      } else {
        try takeKept(of: contents, newerThan: kind.restorationSchemaVersion)
      }
    } catch {
      errors = [error]
    }
    drop(read)
    if state.isEmpty, errors.isEmpty { return nil }
  }

  /// Collects the application state to preserve for a delegate; nil if there is none.
  ///
  /// This is the entire state if its schema is newer than the delegate's; otherwise it is the keys that an earlier save
  /// preserved.
  init?(ofApplication node: NodeReader, _ saved: ApplicationSchema, known version: Int, read: ReadKeys?) {
    guard max(saved.version, saved.unknownKeysVersion) > version, let contents = try? ReadableContents(of: node) else { return nil }
    if saved.version > version {
      (state, errors, schema) = (contents.state, contents.stateErrors, max(saved.version, saved.unknownKeysVersion))
    } else {
      state = ArchiveDictionary(saved.unknownKeys.compactMap { contents.state.entry(forKey: $0) })
      schema = saved.unknownKeysVersion
    }
    drop(read)
    if state.isEmpty, errors.isEmpty { return nil }
  }

  private mutating func drop(_ read: ReadKeys?) {
    if let read { state = ArchiveDictionary(state.filter { !read.contains($0.key) }) }
  }

  /// Takes the keys of a newer schema that an earlier save preserved.
  private mutating func takeKept(of contents: ReadableContents, newerThan version: Int) throws(ArchiveError) {
    guard let kept = try Self.keptSchema(of: contents), kept > version,
      case .array(let values)? = try Self.attribute(EngineAttribute.unknownKeys, of: contents)
    else { return }
    let keys = values.compactMap { if case .string(let key) = $0 { key } else { nil } }
    schema = kept
    state = ArchiveDictionary(keys.compactMap { contents.state.entry(forKey: $0) })
    if contents.stateErrors.isEmpty { return }
    let listed = Set(keys.map { TextKey($0) })
    errors = contents.stateErrors.filter { error in error.key.map { listed.contains(TextKey($0)) } ?? true }
  }

  /// Returns the keys that an earlier save preserved, whatever their schema.
  static func names(in attributes: ArchiveDictionary) -> Set<TextKey> {
    guard case .array(let values)? = attributes[EngineAttribute.unknownKeys] else { return [] }
    return Set(values.compactMap { if case .string(let key) = $0 { TextKey(key) } else { nil } })
  }

  /// Returns the schema version of the keys that an earlier save preserved; nil if there are none.
  private static func keptSchema(of contents: ReadableContents) throws(ArchiveError) -> Int? {
    guard case .integer(let number)? = try attribute(EngineAttribute.unknownKeysSchema, of: contents) else { return nil }
    return UInt32(number.description).map { Int(clamping: $0) }
  }

  /// Returns an attribute, or nil if it does not exist.
  ///
  /// - Throws: The error of an unreadable attribute.
  private static func attribute(_ name: String, of contents: ReadableContents) throws(ArchiveError) -> ArchiveValue? {
    if let entry = contents.attributes.entry(forKey: name) { return entry.value }
    let error = contents.attributeErrors.first { $0.key?.isSameText(as: name) ?? true }
    if let error { throw error }
    return nil
  }
}

extension ArchiveDictionary {
  /// Adds the entries whose keys are missing, with their marks as sensitive, and returns these keys.
  @discardableResult
  mutating func addMissing(_ entries: some Sequence<Entry>) -> [String] {
    entries.compactMap { other in
      guard entry(forKey: other.key) == nil else { return nil }
      self[other.key] = other.value
      setSensitive(other.isSensitive, forKey: other.key)
      return other.key
    }
  }
}

/// The node attributes of the engine (`Spec/registry.md`, attribute keys).
enum EngineAttribute {
  /// True for an empty node that exists only for its descendants.
  static let placeholder = "restoration.placeholder"
  /// True for a node whose state was set aside: no object is made for it.
  static let setAside = "restoration.setAside"
  /// True for a node that an upgrade has made for values of another node: they need no upgrade from version 0.
  static let moved = "restoration.moved"
  /// The time of the last save by a launch that could have claimed a carried node.
  static let lastClaimable = "restoration.lastClaimable"
  /// The newer schema version that the unknown keys belong to.
  static let unknownKeysSchema = "restoration.keptSchema"
  /// The keys that are preserved for a build that knows them.
  static let unknownKeys = "restoration.keptKeys"
}

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
