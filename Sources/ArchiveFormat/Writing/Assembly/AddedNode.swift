/// A node added to the assembler; trivial values only, so that many nodes are cheap.
struct AddedNode: BitwiseCopyable {
  /// The number of its parent.
  var parent: UInt32
  /// Its index among its siblings.
  var savedOrder: UInt32 = 0
  /// The number of children added so far.
  var childCount: UInt32 = 0
  /// Its depth; 0 for the app itself.
  var depth: UInt16
  /// The offset of its identifier among the bytes of all identifiers.
  var identifierStart: Int
  var identifierCount: UInt16
  /// Its number in the type collector, or 0.
  ///
  /// The next property is that of the origin collector.
  var type: UInt32
  var origin: UInt16
  /// The optional parts of its state record.
  var flags: UInt8 = 0
  /// Whether its state record was begun, and not discarded.
  var hasState = false
  /// The offset of its state record.
  ///
  /// While the record is pending, the start is 0 and the end is the length.
  var stateStart = 0
  var stateEnd = 0

  /// The app itself.
  static var application: AddedNode {
    AddedNode(parent: 0, depth: 0, identifierStart: 0, identifierCount: 0, type: 0, origin: 0)
  }

  var identifier: Range<Int> {
    @inline(__always) get { identifierStart..<(identifierStart &+ Int(identifierCount)) }
  }

  var state: Range<Int> {
    @inline(__always) get { stateStart..<stateEnd }
  }
}
