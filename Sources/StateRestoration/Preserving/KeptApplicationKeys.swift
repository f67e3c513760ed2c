import RestorationArchive

/// What was restored of an application state that a newer build has written, and that the delegate may not know.
struct KeptApplicationKeys {
  /// The entries to keep where the delegate does not write them.
  let state: ArchiveDictionary
  /// The schema version that they are of.
  let version: Int
  /// Why others cannot be kept.
  let errors: [ArchiveError]

  /// What is to be kept of the application state of an archive for a delegate; nil if nothing.
  ///
  /// That is the whole state if it is of a newer schema, and else what an earlier save kept.
  init?(_ node: ArchivedNode, schema: ApplicationSchema, known version: Int) {
    guard max(schema.version, schema.keptVersion) > version, let contents = try? ReadableContents(of: node) else { return nil }
    if schema.version > version {
      (state, self.version, errors) = (contents.state, schema.version, contents.stateErrors)
    } else {
      state = ArchiveDictionary(schema.keptKeys.compactMap { contents.state.entry(forKey: $0) })
      (self.version, errors) = (schema.keptVersion, [])
    }
    if state.isEmpty, errors.isEmpty { return nil }
  }
}
