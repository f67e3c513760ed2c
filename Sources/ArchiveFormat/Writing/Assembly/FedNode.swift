/// A node as it was fed to the assembler: plain numbers, so that many of them are cheap.
struct FedNode: BitwiseCopyable {
  /// The number of its parent.
  var parent: UInt32
  /// Its place among its siblings.
  var savedOrder: UInt32 = 0
  /// How many children were fed.
  var childCount: UInt32 = 0
  /// How deep it lies; 0 for the app itself.
  var depth: UInt16
  /// Where its identifier is among the bytes of all.
  var identifierStart: Int
  var identifierCount: UInt16
  /// Its number in the collectors; 0 for none.
  var type: UInt32
  var origin: UInt16
  /// What its record begins with.
  var flags: UInt8 = 0
  /// Whether its record was begun, and not dropped.
  var hasState = false
  /// Where its record is among all records; until that is settled, how long it is.
  var stateStart = 0
  var stateEnd = 0

  /// The app itself.
  static var application: FedNode {
    FedNode(parent: 0, depth: 0, identifierStart: 0, identifierCount: 0, type: 0, origin: 0)
  }

  var identifier: Range<Int> {
    @inline(__always) get { identifierStart..<(identifierStart &+ Int(identifierCount)) }
  }

  var state: Range<Int> {
    @inline(__always) get { stateStart..<stateEnd }
  }
}
