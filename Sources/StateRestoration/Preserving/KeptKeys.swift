import RestorationArchive

/// What was restored for an object whose build may not know all of it.
struct KeptKeys {
  /// The object that decoded it; another one at its path has nothing to do with it.
  weak var object: (any Restorable)?
  /// The entries to keep where the object does not write them.
  let state: ArchiveDictionary
  /// The schema version that they are of.
  let schema: UInt32

  /// What is to be kept of a node for its object; nil if nothing.
  ///
  /// That is the whole state if it is of a newer schema or if the type asks for it, and else what an earlier save kept.
  init?(_ node: ArchivedNode, object: any Restorable) {
    let kind = type(of: object)
    let isNewer = Int(node.schemaVersion) > kind.restorationSchema
    guard isNewer || kind.keepsUnknownKeys || node.hasAttributes, let contents = try? node.everything() else { return nil }
    self.object = object
    if isNewer || kind.keepsUnknownKeys {
      state = contents.state
      schema = node.schemaVersion
      return
    }
    guard case .array(let keys)? = contents.attributes[EngineAttribute.keptKeys],
      case .integer(let version)? = contents.attributes[EngineAttribute.keptSchema], let version = UInt32(version.description),
      Int(version) > kind.restorationSchema
    else { return nil }
    let kept = keys.compactMap { key -> ArchiveDictionary.Entry? in
      if case .string(let key) = key { contents.state.entry(forKey: key) } else { nil }
    }
    if kept.isEmpty { return nil }
    state = ArchiveDictionary(kept)
    schema = version
  }
}
