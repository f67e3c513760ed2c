import RestorationArchive
import Locking

/// An archive that was just encoded: opened when somebody wants to read it, which after most saves nobody does.
final class PreservedArchive: Sendable {
  /// What it is put together from.
  let encoded: EncodedArchive
  /// The number of its nodes.
  let nodeCount: Int
  private let opened = Lock<ArchiveReader?>(nil)

  init(_ encoded: EncodedArchive, nodeCount: Int) {
    self.encoded = encoded
    self.nodeCount = nodeCount
  }

  /// The archive, open; nil if it cannot be put together, or opened, which would be a defect of the writer.
  var reader: ArchiveReader? {
    opened.withLock { opened in
      if opened == nil { opened = try? ArchiveReader(from: DataByteSource(data: encoded.data())) }
      return opened
    }
  }
}
