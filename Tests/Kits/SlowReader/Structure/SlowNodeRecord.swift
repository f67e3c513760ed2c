/// The unchecked fields of a node record (Spec 6.4).
///
/// They have 64 bits here, so that no sum of two can overflow.
struct SlowNodeRecord {
  static let size = 48

  /// The offset of the record in the file.
  let offset: Int
  let parent: UInt64
  let savedOrder: UInt64
  let firstChild: UInt64
  let childCount: UInt64
  let stateOffset: UInt64
  let stateLength: UInt64
  let type: UInt64
  let origin: UInt64
  let flags: UInt8
  /// The 19 bytes of the field `identifier` (Spec 6.5).
  let identifier: [UInt8]

  init(_ bytes: [UInt8], at offset: Int) {
    func field(_ place: Int, _ size: Int) -> UInt64 {
      SlowBytes.integer(SlowBytes.part(of: bytes, at: offset + place, count: size))
    }
    self.offset = offset
    parent = field(0, 4)
    savedOrder = field(4, 4)
    firstChild = field(8, 4)
    childCount = field(12, 4)
    stateOffset = field(16, 4)
    stateLength = field(20, 4)
    type = field(24, 2)
    origin = field(26, 2)
    flags = UInt8(truncatingIfNeeded: field(28, 1))
    identifier = Array(SlowBytes.part(of: bytes, at: offset + 29, count: 19))
  }

  var hasProvider: Bool { flags & 1 != 0 }
  var hasAttributes: Bool { flags & 2 != 0 }

  /// Whether any bit is set that must be 0 (R-6.4-7).
  var hasUnknownFlags: Bool { flags & 0b1111_1100 != 0 }

  /// The index after the last child.
  var childrenEnd: UInt64 { firstChild + childCount }

  func hasChild(_ index: Int) -> Bool {
    firstChild <= UInt64(index) && UInt64(index) < childrenEnd
  }

  /// Whether the identifier has the long form (Spec 6.5).
  var hasLongIdentifier: Bool { identifier.first == 0xff }

  /// The length in the short form, and the 18 bytes after it.
  var shortLength: UInt8 { identifier.first ?? 0 }
  var shortBytes: [UInt8] { Array(identifier.dropFirst()) }

  /// The first twelve bytes of the identifier in the long form, its length, and its offset in `STRS`.
  var longBeginning: [UInt8] { Array(SlowBytes.part(of: identifier, at: 1, count: 12)) }
  var longLength: UInt64 { SlowBytes.integer(SlowBytes.part(of: identifier, at: 13, count: 2)) }
  var longOffset: UInt64 { SlowBytes.integer(SlowBytes.part(of: identifier, at: 15, count: 4)) }
}
