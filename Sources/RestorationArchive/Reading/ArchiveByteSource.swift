import ArchiveFormat

/// A source from which an archive is read on demand, such as a file, other storage, or an unsealed file.
///
/// The reader verifies all bytes that a source delivers, so a source need not protect its storage against changes.
public protocol ArchiveByteSource: Sendable {
  /// Returns the current number of bytes.
  func byteCount() throws(ArchiveError) -> Int
  /// Reads the bytes at `range`, or fewer at the end of the source.
  func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8]
}

extension ArchiveSource {
  /// Reads through a public source, with its errors in the form of the format layer.
  init(_ source: some ArchiveByteSource) {
    self = .onDemand(
      byteCount: { () throws(FormatError) in try Self.withFormatErrors { () throws(ArchiveError) in try source.byteCount() } },
      read: { range throws(FormatError) in
        let bytes = try Self.withFormatErrors { () throws(ArchiveError) in try source.read(range) }
        return bytes.count <= range.count ? bytes : Array(bytes.prefix(range.count))
      })
  }

  private static func withFormatErrors<Result>(_ body: () throws(ArchiveError) -> Result) throws(FormatError) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw FormatError(.inputOutput, at: error.offset, error.subject, expected: .text(error.expected), found: .text(error.found))
    }
  }
}
