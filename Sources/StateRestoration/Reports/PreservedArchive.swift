import RestorationArchive
import Locking

/// A newly encoded archive, opened only when it is read; after most saves it never is.
final class PreservedArchive: Sendable {
  /// The encoded parts, from which the archive is assembled.
  let encoded: EncodedArchive
  /// The number of nodes.
  let nodeCount: Int
  private let opened = Lock<ArchiveReader?>(nil)

  init(_ encoded: EncodedArchive, nodeCount: Int) {
    self.encoded = encoded
    self.nodeCount = nodeCount
  }

  /// The opened archive; nil if assembling or opening it fails, which would be a defect of the writer.
  var reader: ArchiveReader? {
    opened.withLock { opened in
      if opened == nil { opened = try? ArchiveReader(from: DataByteSource(data: encoded.data())) }
      return opened
    }
  }
}
