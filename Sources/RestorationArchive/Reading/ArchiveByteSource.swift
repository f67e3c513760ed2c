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

/// Adapts a public source to the format layer.
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
