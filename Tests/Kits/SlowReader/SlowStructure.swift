/// What the checks of Spec 7.2 A to D made out of a file.
struct SlowStructure {
  let prefix: SlowPrefix
  let layout: SlowLayout
  let metadata: SlowMetadata
  let nodes: SlowNodeTable

  /// A reader of state records, with the key table of the file.
  func valueReader() -> SlowValueReader {
    SlowValueReader(keys: metadata.keys.map(\.content), minorVersion: prefix.minorVersion)
  }

  /// The state record of a node record that keeps R-6.4-8.
  func stateCursor(_ bytes: [UInt8], of record: SlowNodeRecord) -> SlowCursor {
    let start = metadata.stateSection.lowerBound + Int(clamping: record.stateOffset)
    return SlowCursor(bytes, from: start, count: Int(clamping: record.stateLength))
  }
}
