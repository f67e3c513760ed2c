/// A finding in a node record or its state record, in eight bytes.
///
/// A hostile table of nodes can have a fault in each record of 48 bytes. What else a ``Finding`` holds is made again when it is asked for.
struct RecordFinding: Sendable {
  /// The index of the record.
  let node: UInt32
  /// What is wrong.
  let code: FormatErrorCode
  /// Whether it is in the state record.
  let isInState: Bool
}
