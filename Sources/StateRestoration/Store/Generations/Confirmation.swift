import FoundationValues
import RestorationArchive

/// The time at which content was last found unchanged, written by an unchanged save instead of an archive.
///
/// Stored in a small file that is overwritten in place and not flushed. If it is lost, the state only looks as old as
/// its file.
struct Confirmation: Equatable {
  /// The content digest that was confirmed.
  var digest: UInt64
  /// The time of the confirmation.
  var time: Date

  static let byteCount = 24

  /// Returns the name of an archive's confirmation file.
  static func fileName(for archive: ArchiveName) -> String { archive.fileName + suffix }

  /// Whether a name is that of a confirmation file.
  static func isFileName(_ name: String) -> Bool {
    name.hasSuffix(suffix) && ArchiveName(fileName: String(name.dropLast(suffix.count))) != nil
  }

  private static let suffix = ".confirmed"

  var encoded: [UInt8] {
    var record = FixedRecord()
    record.append(digest, time.float64Bits)
    record.appendChecksum()
    return record.bytes
  }
}

extension Confirmation {
  /// Reads a confirmation; nil if it was not completely written.
  ///
  /// Bytes after it are ignored: a confirmation overwrites the start of the file without truncating it.
  init?(_ bytes: [UInt8]) {
    let fields = FixedRecord(bytes)
    guard bytes.count >= Self.byteCount, fields.checksum(of: 16) == fields.uint64(at: 16) else { return nil }
    digest = fields.uint64(at: 0)
    time = Date(float64Bits: fields.uint64(at: 8))
  }
}
