import ArchiveFormat
import RestorationArchive

/// What was restored for an object whose build may not know all of it.
struct KeptKeys {
  /// The object that decoded it; another one at its path has nothing to do with it.
  weak var object: (any Restorable)?
  /// The entries to keep where the object does not write them.
  private(set) var state: ArchiveDictionary = [:]
  /// Why others cannot be kept: with the key, or without one if nobody knows which they are.
  private(set) var errors: [ArchiveError] = []
  /// The schema version that they are of.
  private(set) var schema: UInt32

  /// What is to be kept of a node for its object; nil if nothing.
  ///
  /// That is the whole state if it is of a newer schema or if the type asks for it, and else what an earlier save kept. A value that cannot be
  /// read, such as one of a later type, costs its own key.
  init?(_ node: ArchivedNode, object: any Restorable) {
    let kind = type(of: object)
    let isWhole = Int(node.schemaVersion) > kind.restorationSchema || kind.keepsUnknownKeys
    guard isWhole || node.hasAttributes else { return nil }
    self.object = object
    schema = node.schemaVersion
    do throws(ArchiveError) {
      let contents = try ReadableContents(of: node)
      if isWhole {
        (state, errors) = (contents.state, contents.stateErrors)
      } else {
        try takeKept(of: contents, newerThan: kind.restorationSchema)
      }
    } catch {
      errors = [error]
    }
    if state.isEmpty, errors.isEmpty { return nil }
  }

  /// Takes what an earlier save kept of a newer schema.
  private mutating func takeKept(of contents: ReadableContents, newerThan version: Int) throws(ArchiveError) {
    guard case .integer(let number)? = try Self.attribute(EngineAttribute.keptSchema, of: contents),
      let kept = UInt32(number.description), Int(kept) > version,
      case .array(let values)? = try Self.attribute(EngineAttribute.keptKeys, of: contents)
    else { return }
    let keys = values.compactMap { if case .string(let key) = $0 { key } else { nil } }
    schema = kept
    state = ArchiveDictionary(keys.compactMap { contents.state.entry(forKey: $0) })
    if contents.stateErrors.isEmpty { return }
    let listed = Set(keys.map { IdentifierKey($0) })
    errors = contents.stateErrors.filter { error in error.key.map { listed.contains(IdentifierKey($0)) } ?? true }
  }

  /// An attribute; nil if it is not there.
  ///
  /// - Throws: Why it cannot be read.
  private static func attribute(_ name: String, of contents: ReadableContents) throws(ArchiveError) -> ArchiveValue? {
    if let entry = contents.attributes.entry(forKey: name) { return entry.value }
    let error = contents.attributeErrors.first { $0.key?.isSameText(as: name) ?? true }
    if let error { throw error }
    return nil
  }
}
