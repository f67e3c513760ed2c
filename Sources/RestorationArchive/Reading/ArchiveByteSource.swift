import ArchiveFormat

/// Where an archive is read from on demand: a file, a memory of another kind, something that opens a sealed file.
///
/// The reader verifies all that a source delivers, so a source need not protect what it reads from against changes.
public protocol ArchiveByteSource: Sendable {
  /// The number of bytes that there are now.
  func byteCount() throws(ArchiveError) -> Int
  /// Reads the bytes at `range`; fewer, if there are no more.
  func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8]
}

/// Presents a public source to the format layer.
struct ByteSourceAdapter: ByteSource {
  let source: any ArchiveByteSource

  func byteCount() throws(FormatError) -> Int {
    do throws(ArchiveError) {
      return try source.byteCount()
    } catch {
      throw Self.formatError(error)
    }
  }

  func read(_ range: Range<Int>) throws(FormatError) -> [UInt8] {
    do throws(ArchiveError) {
      let bytes = try source.read(range)
      return bytes.count <= range.count ? bytes : Array(bytes.prefix(range.count))
    } catch {
      throw Self.formatError(error)
    }
  }

  private static func formatError(_ error: ArchiveError) -> FormatError {
    FormatError(.inputOutput, at: error.offset, error.subject, expected: .text(error.expected), found: .text(error.found))
  }
}
