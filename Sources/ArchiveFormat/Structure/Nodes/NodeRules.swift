/// The rules for single node records (Spec §6.4), shared by the reader of single nodes and the checker.
package enum NodeRules {
  private typealias Field = NodeRecord.FieldOffset

  /// Checks `type`, `origin` and `flags` (D7 and D8 of Spec §7.2) of a record at `offset` in the file.
  @inline(__always)
  package static func checkTables(_ record: NodeRecord, types: Int, origins: Int, offset: Int) throws(FormatError) {
    guard Int(record.type) <= types else {
      throw FormatError(.typeIndex, at: offset + Field.type, "type", expected: "at most \(types)", found: .number(record.type))
    }
    guard Int(record.origin) <= origins else {
      throw FormatError(.originIndex, at: offset + Field.origin, "origin", expected: "at most \(origins)", found: .number(record.origin))
    }
    guard record.flags & ~NodeRecord.knownFlags == 0 else {
      throw FormatError(
        .nodeFlags, at: offset + Field.flags, "node flags", expected: "bits 0 and 1 only", found: .hexadecimal(record.flags))
    }
  }

  /// Returns the error for a record at `offset` in the file whose parent does not list it among its children (R-6.4-4).
  static func parentMismatch(_ record: NodeRecord, at offset: Int, expected: FormatError.Quantity, node: Int? = nil) -> FormatError {
    FormatError(.parentMismatch, at: offset + Field.parent, "parent", expected: expected, found: .number(record.parent), node: node)
  }

  /// Checks the range of the state record (D9) in a section of `length` bytes.
  @inline(__always)
  package static func checkState(_ record: NodeRecord, length: Int, offset: Int) throws(FormatError) {
    guard record.stateRange(length: length) == nil else { return }
    throw FormatError(
      .stateRange, at: offset + Field.stateOffset, "state record", expected: "within \(length) bytes",
      found: "\(record.stateLength) bytes at \(record.stateOffset)")
  }
}
