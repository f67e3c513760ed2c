/// The structure of a file, from the checks of Spec 7.2 A to D.
struct SlowStructure {
  let prefix: SlowPrefix
  let layout: SlowLayout
  let metadata: SlowMetadata
  let nodes: SlowNodeTable

  /// Returns a reader for state records that uses the file's key table.
  func valueReader() -> SlowValueReader {
    SlowValueReader(keys: metadata.keys.map(\.content), minorVersion: prefix.minorVersion)
  }

  /// Returns a cursor for the state record of a node record that satisfies R-6.4-8.
  func stateCursor(_ bytes: [UInt8], of record: SlowNodeRecord) -> SlowCursor {
    let start = metadata.stateSection.lowerBound + Int(clamping: record.stateOffset)
    return SlowCursor(bytes, from: start, count: Int(clamping: record.stateLength))
  }
}
