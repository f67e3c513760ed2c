/// A record of the node table (Spec §6.4), without its identifier.
package struct NodeRecord: Sendable, Equatable {
  /// The length of a record in bytes.
  package static let byteCount = 48
  /// The bits of `flags`.
  package static let hasProvider: UInt8 = 1
  package static let hasAttributes: UInt8 = 2
  package static let knownFlags: UInt8 = 3

  /// The offsets of the fields in a record.
  package enum FieldOffset {
    package static let parent = 0
    package static let savedOrder = 4
    package static let firstChild = 8
    package static let childCount = 12
    package static let stateOffset = 16
    package static let stateLength = 20
    package static let type = 24
    package static let origin = 26
    package static let flags = 28
    package static let identifier = 29
  }

  /// The index of the parent's record.
  package var parent: UInt32
  /// The index among its siblings in saved order.
  package var savedOrder: UInt32
  /// The index of the first child's record.
  package var firstChild: UInt32
  /// The number of children.
  package var childCount: UInt32
  /// The offset of the state record in its section.
  package var stateOffset: UInt32
  /// The length of the state record.
  package var stateLength: UInt32
  /// The index in the table of types plus one, or 0.
  package var type: UInt16
  /// The index in the table of origins plus one, or 0.
  package var origin: UInt16
  /// The optional parts of the state record.
  package var flags: UInt8

  /// Creates a record.
  package init(
    parent: UInt32, savedOrder: UInt32, firstChild: UInt32, childCount: UInt32, stateOffset: UInt32, stateLength: UInt32, type: UInt16,
    origin: UInt16, flags: UInt8
  ) {
    self.parent = parent
    self.savedOrder = savedOrder
    self.firstChild = firstChild
    self.childCount = childCount
    self.stateOffset = stateOffset
    self.stateLength = stateLength
    self.type = type
    self.origin = origin
    self.flags = flags
  }

  /// Reads the record at `start`; all of its bytes must be in `bytes`.
  @inline(__always)
  package init(reading bytes: Span<UInt8>, at start: Int) {
    WorkMeter.count(1)
    // One check for the whole record; the loads need none of their own.
    let rest = bytes.extracting(droppingFirst: start)
    precondition(rest.count >= Self.byteCount)
    let record = rest.extracting(first: Self.byteCount)
    parent = record.uint32(at: FieldOffset.parent)
    savedOrder = record.uint32(at: FieldOffset.savedOrder)
    firstChild = record.uint32(at: FieldOffset.firstChild)
    childCount = record.uint32(at: FieldOffset.childCount)
    stateOffset = record.uint32(at: FieldOffset.stateOffset)
    stateLength = record.uint32(at: FieldOffset.stateLength)
    type = record.uint16(at: FieldOffset.type)
    origin = record.uint16(at: FieldOffset.origin)
    flags = record[FieldOffset.flags]
  }

  /// Appends the record as six words of eight bytes; the identifier begins in the fourth.
  @inline(__always)
  package func write(_ identifier: IdentifierField.Packed, to buffer: borrowing OutputBuffer) {
    let numbers = UInt64(type) | UInt64(origin) &<< 16 | UInt64(flags) &<< 32
    buffer.append(
      UInt64(parent) | UInt64(savedOrder) &<< 32, UInt64(firstChild) | UInt64(childCount) &<< 32,
      UInt64(stateOffset) | UInt64(stateLength) &<< 32, numbers | UInt64(identifier.first) &<< 40, identifier.second, identifier.third)
  }

  /// Whether the node has state, a provider or attributes.
  package var hasStateRecord: Bool { stateLength > 0 || flags & Self.knownFlags != 0 }

  /// Returns the indexes of the children, or nil if they do not lie after `index` and within `count` records.
  package func children(index: Int, count: Int) -> Range<Int>? {
    let first = UInt64(firstChild)
    let last = first + UInt64(childCount)
    guard first > UInt64(index), last <= UInt64(count) else { return nil }
    return Int(first)..<Int(last)
  }

  /// Returns the range of the state record in a section of `length` bytes, or nil if it does not lie within.
  package func stateRange(length: Int) -> Range<Int>? {
    let first = UInt64(stateOffset)
    let last = first + UInt64(stateLength)
    guard last <= UInt64(length) else { return nil }
    return Int(first)..<Int(last)
  }
}
