import RestorationArchive

/// Restored application state from a newer build that the delegate may not know.
struct UnknownApplicationKeys {
  /// The entries to preserve unless the delegate writes them itself.
  let state: ArchiveDictionary
  /// The schema version of the entries.
  let version: Int
  /// The errors of entries that cannot be preserved.
  let errors: [ArchiveError]

  /// Collects the application state to preserve for a delegate; nil if there is none.
  ///
  /// This is the entire state if its schema is newer than the delegate's; otherwise it is the keys that an earlier save
  /// preserved.
  init?(_ node: NodeReader, schema: ApplicationSchema, known version: Int) {
    guard max(schema.version, schema.unknownKeysVersion) > version, let contents = try? ReadableContents(of: node) else { return nil }
    if schema.version > version {
      (state, self.version, errors) = (contents.state, schema.version, contents.stateErrors)
    } else {
      state = ArchiveDictionary(schema.unknownKeys.compactMap { contents.state.entry(forKey: $0) })
      (self.version, errors) = (schema.unknownKeysVersion, [])
    }
    if state.isEmpty, errors.isEmpty { return nil }
  }
}
