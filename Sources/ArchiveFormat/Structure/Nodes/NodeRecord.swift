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

  /// Appends the fields before the identifier.
  package func write(to buffer: borrowing OutputBuffer) {
    buffer.append(UInt64(parent) | UInt64(savedOrder) &<< 32)
    buffer.append(UInt64(firstChild) | UInt64(childCount) &<< 32)
    buffer.append(UInt64(stateOffset) | UInt64(stateLength) &<< 32)
    buffer.append(UInt64(type) | UInt64(origin) &<< 16 | UInt64(flags) &<< 32, byteCount: FieldOffset.identifier - FieldOffset.type)
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

/// The identifier of a node as stored in its record: whole, or as a prefix and a range in `STRS` (Spec §6.5).
package struct IdentifierField: Sendable, Equatable {
  /// The length of the field.
  package static let byteCount = 19
  /// The length of the longest identifier in the short form.
  package static let longestShort = 18
  /// The first byte of the long form.
  package static let longLead: UInt8 = 0xFF
  /// The number of bytes of a long identifier in the record.
  package static let prefixLength = 12

  /// The offsets in the field.
  package enum FieldOffset {
    package static let bytes = 1
    package static let length = 13
    package static let offset = 15
  }

  /// The range of the bytes in the record: all of a short identifier, the first twelve of a long one.
  package let inRecord: Range<Int>
  /// The range of a long identifier, from the start of `STRS`; nil for a short one.
  package let inStrings: Range<Int>?

  /// Reads the field at index `start` of bytes whose index 0 lies at `fileOffset` in the file, and checks its form (D10
  /// of Spec §7.2).
  @inline(__always)
  package init(reading bytes: Span<UInt8>, at start: Int, fileOffset: Int) throws(FormatError) {
    let lead = bytes[start]
    let first = start &+ FieldOffset.bytes
    if lead >= 1, lead <= Self.longestShort {
      inRecord = first..<(first &+ Int(lead))
      inStrings = nil
      guard Self.hasZeros(after: UInt64(lead), bytes, at: first) else {
        throw FormatError(.identifierForm, at: fileOffset + first, "identifier", expected: "zeros after a short one")
      }
    } else if lead == Self.longLead {
      let length = Int(bytes.uint16(at: start &+ FieldOffset.length))
      guard length > Self.longestShort, length <= FormatLimits.identifier.upperBound else {
        throw FormatError(
          .identifierForm, at: fileOffset + start + FieldOffset.length, "length of a long identifier",
          expected: "\(Self.longestShort + 1) to \(FormatLimits.identifier.upperBound)", found: .number(length))
      }
      inRecord = first..<(first &+ Self.prefixLength)
      let offset = Int(clamping: bytes.uint32(at: start &+ FieldOffset.offset))
      // A sum that overflows an integer of this system lies beyond all strings.
      let (end, isBeyond) = offset.addingReportingOverflow(length)
      inStrings = offset..<(isBeyond ? .max : end)
    } else {
      throw FormatError(
        .identifierForm, at: fileOffset + start, "identifier", expected: "a length from 1 to \(Self.longestShort), or 0xff",
        found: .hexadecimal(lead))
    }
  }

  /// Appends the field of an identifier: a short one, none for record 0, or a longer one with its offset in `STRS`.
  static func write(_ identifier: Span<UInt8>, offset: Int?, to buffer: borrowing OutputBuffer) {
    if let offset {
      buffer.append(longLead)
      buffer.append(contentsOf: identifier.extracting(first: prefixLength))
      buffer.append(UInt16(truncatingIfNeeded: identifier.count))
      buffer.append(UInt32(truncatingIfNeeded: offset))
    } else {
      buffer.append(UInt8(truncatingIfNeeded: identifier.count))
      buffer.append(contentsOf: identifier)
      for count in stride(from: longestShort - identifier.count, to: 0, by: -8) { buffer.append(UInt64(0), byteCount: count) }
    }
  }

  /// Whether the rest of the field is 0 after a short identifier of `length` bytes, which begins at `first`.
  @inline(__always)
  private static func hasZeros(after length: UInt64, _ bytes: Span<UInt8>, at first: Int) -> Bool {
    let last = UInt64(bytes.uint16(at: first &+ 16))
    if length >= 16 { return last &>> (8 &* (length &- 16)) == 0 }
    let middle = bytes.uint64(at: first &+ 8)
    if length >= 8 { return middle &>> (8 &* (length &- 8)) | last == 0 }
    return bytes.uint64(at: first) &>> (8 &* length) | middle | last == 0
  }

  /// Throws unless a long identifier begins with the bytes in its record, which are at `offset` in the file (D13).
  @inline(__always)
  static func checkBeginning(of identifier: Span<UInt8>, inRecord: Span<UInt8>, at offset: Int) throws(FormatError) {
    guard !identifier.extracting(first: prefixLength).isEqual(to: inRecord) else { return }
    throw FormatError(.identifierForm, at: offset, "beginning of a long identifier", expected: "its first \(prefixLength) bytes")
  }

  /// Throws unless a long identifier lies within `STRS` (D11).
  @inline(__always)
  package func checkRange(length: Int, at start: Int, fileOffset: Int) throws(FormatError) {
    guard let inStrings, inStrings.upperBound > length else { return }
    throw FormatError(
      .identifierRange, at: fileOffset + start + FieldOffset.offset, "long identifier", expected: "at most \(length) bytes of strings",
      found: .number(inStrings.upperBound))
  }
}

/// The rules for single node records (Spec §6.4), shared by the reader of single nodes and the checker.
package enum NodeRules {
  private typealias Field = NodeRecord.FieldOffset

  /// Checks record 0 (D1, and D2 as far as it concerns record 0 alone), whose bytes begin at `start`, which is at `offset` in the file.
  static func checkRoot(_ bytes: Span<UInt8>, at start: Int, offset: Int) throws(FormatError) {
    for (field, length) in [(Field.parent, 4), (Field.savedOrder, 4), (Field.type, 2), (Field.origin, 2), (Field.flags, 1)]
    where bytes.firstNonZero(in: (start + field)..<(start + field + length)) != nil {
      throw FormatError(.rootRecord, at: offset + field, "record of the empty path", expected: "0 in this field")
    }
    if bytes.firstNonZero(in: (start + Field.identifier)..<(start + NodeRecord.byteCount)) != nil {
      throw FormatError(.rootRecord, at: offset + Field.identifier, "record of the empty path", expected: "no identifier")
    }
    let first = bytes.uint32(at: start + Field.firstChild)
    if first != 1 {
      throw FormatError(
        .childRange, at: offset + Field.firstChild, "first child", expected: .number(1), found: .number(first), rule: "R-6.4-2")
    }
  }

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
