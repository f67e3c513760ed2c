/// The three parts of a state record, located but not read (Spec §6.3).
package struct RecordParts {
  /// The ranges of the texts of the provider reference, which are validated.
  package let provider: (name: Range<Int>, identifier: Range<Int>)?
  /// The entries of the attributes.
  package var attributes: ByteCursor?
  /// The entries of the state.
  package let entries: ByteCursor

  /// Locates the parts of a record whose node has these flags.
  package init(_ record: VerifiedBytes, flags: UInt8) throws(FormatError) {
    try self.init(record.cursor, in: record.storage.span, flags: flags)
  }

  /// Locates the parts of the record that `cursor` covers.
  @inline(__always)
  init(_ cursor: ByteCursor, in bytes: Span<UInt8>, flags: UInt8) throws(FormatError) {
    var cursor = cursor
    if flags & NodeRecord.hasProvider != 0 {
      let name = try cursor.readText(in: bytes, bounds: FormatLimits.providerName, "name of the provider")
      provider = (name, try cursor.readText(in: bytes, bounds: FormatLimits.providerName, "name within the provider"))
    } else {
      provider = nil
    }
    if flags & NodeRecord.hasAttributes != 0 {
      let start = cursor.offset
      let range = try cursor.readLength(in: bytes, "attributes")
      guard !range.isEmpty else { throw FormatError(.emptyAttributes, at: start, "attributes", expected: .text("at least one entry")) }
      attributes = ByteCursor(range, fileOffset: cursor.fileOffset)
      cursor.position = range.upperBound
    }
    entries = cursor
  }
}
