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
  /// save preserved. An unreadable value, such as one of a later type, affects only its own key.
  init?(_ node: NodeReader, object: any Restorable) {
    let kind = type(of: object)
    let isWhole = node.schemaVersion > kind.restorationSchemaVersion || kind.keepsUnknownKeys
    guard isWhole || node.hasAttributes else { return nil }
    self.object = object
    schema = node.schemaVersion
    do throws(ArchiveError) {
      let contents = try ReadableContents(of: node)
      if isWhole {
        (state, errors) = (contents.state, contents.stateErrors)
      } else {
        try takeKept(of: contents, newerThan: kind.restorationSchemaVersion)
      }
    } catch {
      errors = [error]
    }
    if state.isEmpty, errors.isEmpty { return nil }
  }

  /// Collects the application state to preserve for a delegate; nil if there is none.
  ///
  /// This is the entire state if its schema is newer than the delegate's; otherwise it is the keys that an earlier save
  /// preserved.
  init?(ofApplication node: NodeReader, _ saved: ApplicationSchema, known version: Int) {
    guard max(saved.version, saved.unknownKeysVersion) > version, let contents = try? ReadableContents(of: node) else { return nil }
    if saved.version > version {
      (state, errors, schema) = (contents.state, contents.stateErrors, saved.version)
    } else {
      state = ArchiveDictionary(saved.unknownKeys.compactMap { contents.state.entry(forKey: $0) })
      schema = saved.unknownKeysVersion
    }
    if state.isEmpty, errors.isEmpty { return nil }
  }

  /// Takes the keys of a newer schema that an earlier save preserved.
  private mutating func takeKept(of contents: ReadableContents, newerThan version: Int) throws(ArchiveError) {
    guard case .integer(let number)? = try Self.attribute(EngineAttribute.unknownKeysSchema, of: contents),
      let kept = UInt32(number.description), kept > version,
      case .array(let values)? = try Self.attribute(EngineAttribute.unknownKeys, of: contents)
    else { return }
    let keys = values.compactMap { if case .string(let key) = $0 { key } else { nil } }
    schema = Int(clamping: kept)
    state = ArchiveDictionary(keys.compactMap { contents.state.entry(forKey: $0) })
    if contents.stateErrors.isEmpty { return }
    let listed = Set(keys.map { TextKey($0) })
    errors = contents.stateErrors.filter { error in error.key.map { listed.contains(TextKey($0)) } ?? true }
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
  /// The time of the last save by a launch that could have claimed a carried node.
  static let lastClaimable = "restoration.lastClaimable"
  /// The newer schema version that the unknown keys belong to.
  static let unknownKeysSchema = "restoration.keptSchema"
  /// The keys that are preserved for a build that knows them.
  static let unknownKeys = "restoration.keptKeys"
}
