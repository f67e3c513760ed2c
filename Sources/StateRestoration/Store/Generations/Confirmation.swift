#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// When content was last found unchanged: what an unchanged save writes in place of an archive.
///
/// It stands in a small file that is overwritten in place and not flushed. Losing it costs nothing but that the state looks as old as its
/// file.
struct Confirmation: Equatable {
  /// The content digest that was confirmed.
  var digest: UInt64
  /// When.
  var time: Date

  static let byteCount = 24

  /// The name of the file for an archive.
  static func fileName(for archive: ArchiveName) -> String { archive.fileName + suffix }

  /// Whether there is an archive of which the file has this name.
  static func isFileName(_ name: String) -> Bool {
    name.hasSuffix(suffix) && ArchiveName(fileName: String(name.dropLast(suffix.count))) != nil
  }

  private static let suffix = ".confirmed"

  var encoded: [UInt8] {
    let buffer = OutputBuffer(capacity: Self.byteCount)
    buffer.append(digest)
    buffer.append(time.timeIntervalSinceReferenceDate.bitPattern)
    buffer.append(buffer.withSpan { XXH64.hash($0) })
    return buffer.makeArray()
  }

  init(digest: UInt64, time: Date) {
    self.digest = digest
    self.time = time
  }

  /// Reads what was written; nil if it was not written whole.
  ///
  /// Bytes that follow are ignored: the next confirmation is written over the first ones, and does not remove them.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount, XXH64.hash(bytes.span.extracting(0..<16)) == bytes.span.uint64(at: 16) else { return nil }
    digest = bytes.span.uint64(at: 0)
    time = Date(timeIntervalSinceReferenceDate: Double(bitPattern: bytes.span.uint64(at: 8)))
  }
}
