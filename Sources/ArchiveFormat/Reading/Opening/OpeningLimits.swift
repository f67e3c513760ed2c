/// The size limits of an archive that a reader may open (rule R-10-1).
package struct OpeningLimits: Sendable {
  private let fileLength: Int
  private let metadataLength: Int
  private let recordCount: Int

  /// The limits of the format.
  package static let format = OpeningLimits(fileLength: .max, metadataLength: .max, recordCount: .max)

  /// Creates limits.
  package init(fileLength: Int, metadataLength: Int, recordCount: Int) {
    self.fileLength = fileLength
    self.metadataLength = metadataLength
    self.recordCount = recordCount
  }

  /// Checks the lengths stated in the prefix.
  package func check(_ layout: FileLayout) throws(FormatError) {
    typealias Field = ArchivePrefix.FieldOffset
    try Self.check(layout.fileLength, fileLength, "file length", at: Field.fileLength)
    try Self.check(layout.metadataLength, metadataLength, "metadata length", at: Field.metadataLength)
  }

  /// Checks the record count stated in the metadata.
  package func check(_ metadata: ArchiveMetadata) throws(FormatError) {
    try Self.check(metadata.recordCount, recordCount, "node records", at: ArchivePrefix.byteCount)
  }

  private static func check(_ found: Int, _ limit: Int, _ subject: String, at offset: Int) throws(FormatError) {
    guard found > limit else { return }
    throw FormatError(.readerLimit, at: offset, subject, expected: "at most \(limit), the limit of this reader", found: .number(found))
  }
}
