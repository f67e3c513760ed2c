import RestorationArchive
import Storage

/// The keys of newer builds, which are preserved.
extension PreservationRun {
  func unknownKeys(of number: Int, _ object: any Restorable, in session: RestorationSession) -> UnknownKeys? {
    guard !session.isForgotten, !session.unknownKeys.isEmpty, let found = session.unknownKeys[path(of: number)]
    else { return nil }
    return found.object === object ? found : nil
  }

  /// Encodes an object together with the unknown keys that it does not write itself.
  func write(
    _ number: Int, _ object: any Restorable, under parent: ArchiveWriter.Node?, _ tag: String?, _ version: Int, keeping kept: UnknownKeys
  ) throws {
    // The keys that the object writes are known only after it has encoded, but the attributes that list the unknown keys
    // are written before them.
    let provider = object.restorationProvider
    var contents = try separatelyEncodedState(by: object, at: path(of: number))
    var keys: [ArchiveValue] = []
    for entry in kept.state where contents.entry(forKey: entry.key) == nil {
      contents[entry.key] = entry.value
      contents.setSensitive(entry.isSensitive, forKey: entry.key)
      keys.append(.string(entry.key))
    }
    var attributes: ArchiveDictionary = [:]
    if !keys.isEmpty, kept.schema > version {
      attributes[EngineAttribute.unknownKeysSchema] = .integer(kept.schema)
      attributes[EngineAttribute.unknownKeys] = .array(keys)
    }
    let written = try writer.addNode(
      state.value.nodes[number].identifier, under: parent, type: tag, schemaVersion: tag == nil ? 0 : version)
    state.value.nodes[number].written = written
    try writer.encode(contents, of: written, provider: provider, attributes: attributes)
    reportUnreadable(kept, at: path(of: number), but: contents)
    if !keys.isEmpty { report(.unknownKeys, path(of: number), "keys that its object does not know are kept: \(keys.count)") }
  }

  /// Reports preserved entries that cannot be read, except for keys that the object has written itself.
  private func reportUnreadable(_ kept: UnknownKeys, at path: RestorationPath, but written: ArchiveDictionary) {
    for error in kept.errors {
      let text = ErrorText.text(of: error)
      guard let key = error.key else {
        report(.lost, path, "what its object does not know cannot be read, and is dropped: \(text)")
        continue
      }
      if written.entry(forKey: key) != nil { continue }
      report(
        .lost, path, "the value under \(key.escapedForDisplay), which its object does not know, cannot be read, and is dropped: \(text)")
    }
  }

  /// Returns the encoded state of an object as a value.
  private func separatelyEncodedState(by object: any Restorable, at path: RestorationPath) throws -> ArchiveDictionary {
    let apart = ArchiveWriter(userInfo: userInfo)
    var node: ArchiveWriter.Node?
    for identifier in path.components { node = try apart.addNode(identifier, under: node) }
    if let node { try apart.encodeState(of: node) { try object.encodeRestorableState(with: $0) } }
    return try ArchiveReader(apart.finish()).node(at: path)?.state() ?? [:]
  }
}
