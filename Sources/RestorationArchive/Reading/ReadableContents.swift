import ArchiveFormat

/// The readable attributes and state of a node: a fault in one entry loses only that entry.
package struct ReadableContents {
  /// The readable attributes.
  package private(set) var attributes: ArchiveDictionary = [:]
  /// The errors of the other attributes: with a key, or without one for all attributes after a fault.
  package private(set) var attributeErrors: [ArchiveError] = []
  /// The readable state.
  package private(set) var state: ArchiveDictionary = [:]
  /// The errors of the other entries: with a key, or without one for all entries after a fault.
  package private(set) var stateErrors: [ArchiveError] = []

  /// Reads the contents of a node.
  ///
  /// The errors omit the path, because a record can have many faults and a path can be long.
  ///
  /// - Throws: `block-damaged`, or an error for a fault in the record as a whole.
  package init(of node: NodeReader) throws(ArchiveError) {
    if let contents = try? node.contents() {
      (attributes, state) = (contents.attributes, contents.state)
      return
    }
    let archive = node.archive
    var values = ValueReader(keys: archive.records.metadata.keys, isStrict: archive.isStrict, budget: ValueBudget(archive.limits))
    do throws(FormatError) {
      let record = try archive.records.state(of: node.node)
      let parts = try RecordParts(record, flags: node.node.record.flags)
      if let cursor = parts.attributes {
        (attributes, attributeErrors) = Self.read(cursor, of: record, .attributes(strict: archive.isStrict), archive, &values)
      }
      (state, stateErrors) = Self.read(parts.entries, of: record, .state, archive, &values)
    } catch {
      throw ArchiveError(error)
    }
  }

  private static func read(
    _ cursor: ByteCursor, of record: VerifiedBytes, _ role: EntryRole, _ archive: ArchiveReader, _ values: inout ValueReader
  ) -> (ArchiveDictionary, [ArchiveError]) {
    let keys = archive.records.metadata.keys
    let bytes = record.storage.span
    var errors: [ArchiveError] = []
    // The record was verified as a whole.
    let entries = values.readIntactEntries(cursor, upTo: cursor.end, in: bytes, role: role, damage: { _ in nil }) { key, error in
      errors.append(ArchiveError(error, key: key.map { keys.text(of: $0, in: bytes) }))
    }
    return (entries, errors)
  }
}
