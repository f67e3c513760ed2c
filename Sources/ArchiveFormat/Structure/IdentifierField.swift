/// The identifier of a node as its record holds it: whole, or its beginning and a place in `STRS` (Spec §6.5).
package struct IdentifierField: Sendable, Equatable {
  /// The length of the field.
  package static let byteCount = 11
  /// The longest identifier of the short form.
  package static let longestShort = 10
  /// The first byte of the long form.
  package static let longLead: UInt8 = 0xFF
  /// How many bytes of a long identifier are in the record.
  package static let prefixLength = 4

  /// The offsets in the field.
  package enum FieldOffset {
    package static let bytes = 1
    package static let length = 5
    package static let offset = 7
  }

  /// The bytes of the field as a record is written: the first three and the other eight, both as little-endian integers.
  package struct Packed {
    let first: UInt32
    let rest: UInt64

    /// The field of record 0, which has no identifier.
    package static let none = Packed(first: 0, rest: 0)

    private init(first: UInt32, rest: UInt64) {
      self.first = first
      self.rest = rest
    }

    /// The field of an identifier of 1 to 10 bytes.
    @inline(__always)
    init(short bytes: Span<UInt8>) {
      let prefix = bytes.sortingPrefix.byteSwapped
      var rest = prefix &>> 16
      if bytes.count > 8 { rest |= UInt64(bytes[8]) &<< 48 }
      if bytes.count > 9 { rest |= UInt64(bytes[9]) &<< 56 }
      self.init(first: UInt32(truncatingIfNeeded: bytes.count) | UInt32(truncatingIfNeeded: prefix & 0xFFFF) &<< 8, rest: rest)
    }

    /// The field of a longer identifier, which lies at `offset` in `STRS`.
    @inline(__always)
    init(long bytes: Span<UInt8>, offset: Int) {
      let prefix = bytes.sortingPrefix.byteSwapped
      let place = UInt64(truncatingIfNeeded: bytes.count) &<< 16 | UInt64(truncatingIfNeeded: offset) &<< 32
      self.init(
        first: UInt32(longLead) | UInt32(truncatingIfNeeded: prefix & 0xFFFF) &<< 8, rest: (prefix &>> 16) & 0xFFFF | place)
    }
  }

  /// The bytes that are in the record: all of a short identifier, the first four of a long one.
  package let inRecord: Range<Int>
  /// Where a long identifier lies, from the start of `STRS`; nil for a short one.
  package let inStrings: Range<Int>?

  /// Reads the field at index `start` of bytes of which index 0 lies at `fileOffset` in the file, and checks its form (D10 of Spec §7.2).
  @inline(__always)
  package init(reading bytes: Span<UInt8>, at start: Int, fileOffset: Int) throws(FormatError) {
    let lead = bytes[start]
    let first = start &+ FieldOffset.bytes
    if lead >= 1, lead <= Self.longestShort {
      inRecord = first..<(first &+ Int(lead))
      inStrings = nil
      for index in inRecord.upperBound..<(start &+ Self.byteCount) where bytes[index] != 0 {
        throw FormatError(.identifierForm, at: fileOffset + first, "identifier", expected: .text("zeros behind a short one"))
      }
    } else if lead == Self.longLead {
      let length = Int(bytes.uint16(at: start &+ FieldOffset.length))
      guard length > Self.longestShort, length <= FormatLimits.identifier.upperBound else {
        throw FormatError(
          .identifierForm, at: fileOffset + start + FieldOffset.length, "length of a long identifier",
          expected: .text("11 to \(FormatLimits.identifier.upperBound)"), found: .number(UInt64(length)))
      }
      inRecord = first..<(first &+ Self.prefixLength)
      let offset = Int(clamping: bytes.uint32(at: start &+ FieldOffset.offset))
      inStrings = offset..<offset.addingReportingOverflow(length).partialValue
    } else {
      throw FormatError(
        .identifierForm, at: fileOffset + start, "identifier", expected: .text("a length from 1 to 10, or 0xff"),
        found: .hexadecimal(UInt64(lead)))
    }
  }

  /// Throws unless a long identifier lies within `STRS` (D11).
  @inline(__always)
  package func checkRange(length: Int, at start: Int, fileOffset: Int) throws(FormatError) {
    guard let inStrings, inStrings.upperBound > length else { return }
    throw FormatError(
      .identifierRange, at: fileOffset + start + FieldOffset.offset, "long identifier",
      expected: .text("at most \(length) bytes of strings"),
      found: .number(UInt64(inStrings.upperBound)))
  }
}
