/// A finding in a node record or its state record, in eight bytes.
///
/// A hostile node table can have a fault in each of its 48-byte records. The rest of a ``Finding`` is recreated on
/// access.
struct RecordFinding: Sendable {
  /// The index of the record.
  let node: UInt32
  /// The kind of fault.
  let code: FormatErrorCode
  /// Whether the fault is in the state record.
  let isInState: Bool
}
