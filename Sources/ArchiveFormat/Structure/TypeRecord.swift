/// The type of a node: a tag that the developer chose, and the version of what its state looks like (Spec §4.3.4).
package struct TypeRecord: Sendable, Hashable {
  /// The tag.
  package var tag: String
  /// The schema version.
  package var schemaVersion: UInt32

  /// Makes a record.
  package init(tag: String, schemaVersion: UInt32) {
    self.tag = tag
    self.schemaVersion = schemaVersion
  }

  /// Whether this type comes before the other one in the table.
  package func precedes(_ other: TypeRecord) -> Bool {
    let order = tag.compareText(with: other.tag)
    return order == 0 ? schemaVersion < other.schemaVersion : order < 0
  }

  /// Whether two types are the same bytes.
  package static func == (left: TypeRecord, right: TypeRecord) -> Bool {
    left.schemaVersion == right.schemaVersion && left.tag.isIdenticalText(to: right.tag)
  }

  package func hash(into hasher: inout Hasher) {
    for byte in tag.utf8 { hasher.combine(byte) }
    hasher.combine(schemaVersion)
  }
}
