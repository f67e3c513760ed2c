/// The three parts of a state record, located but not read (Spec §6.3).
package struct RecordParts {
  /// The ranges of the texts of the provider reference.
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
  ///
  /// Without `validates`, the texts of the provider reference are not validated, and attributes may be empty. `damage`
  /// returns the error for the first damage in a range; the lengths of texts and attributes must be intact.
  @inline(__always)
  package init(
    _ cursor: ByteCursor, in bytes: Span<UInt8>, flags: UInt8, validates: Bool = true,
    damage: (Range<Int>) -> FormatError? = { _ in nil }
  ) throws(FormatError) {
    var cursor = cursor
    if flags & NodeRecord.hasProvider != 0 {
      let name = try cursor.readProviderText(in: bytes, "name of the provider", validates, damage)
      provider = (name, try cursor.readProviderText(in: bytes, "name within the provider", validates, damage))
    } else {
      provider = nil
    }
    if flags & NodeRecord.hasAttributes != 0 {
      let start = cursor.position
      let range = try cursor.readLength(in: bytes, "attributes")
      if let error = damage(start..<range.lowerBound) { throw error }
      if validates, range.isEmpty {
        throw FormatError(.emptyAttributes, at: cursor.fileOffset + start, "attributes", expected: .text("at least one entry"))
      }
      attributes = ByteCursor(range, fileOffset: cursor.fileOffset)
      cursor.position = range.upperBound
    }
    entries = cursor
  }
}

extension ByteCursor {
  fileprivate mutating func readProviderText(
    in bytes: Span<UInt8>, _ subject: StaticString, _ validates: Bool, _ damage: (Range<Int>) -> FormatError?
  ) throws(FormatError) -> Range<Int> {
    let start = position
    let range = try readString(in: bytes, bounds: FormatLimits.providerName, subject)
    if let error = damage(start..<range.lowerBound) { throw error }
    if validates { try validateText(in: bytes, at: range, subject) }
    return range
  }
}
