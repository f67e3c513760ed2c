import ArchiveFormat
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive
import Synchronization

/// An archive that was just made: opened when somebody wants to read it, which after most saves nobody does.
final class SealedArchive: Sendable {
  /// Its bytes.
  let data: Data
  /// The number of its nodes.
  let nodeCount: Int
  private let opened = Mutex<ArchiveReader?>(nil)

  init(_ data: Data, nodeCount: Int) {
    self.data = data
    self.nodeCount = nodeCount
  }

  /// The archive, open; nil if it cannot be opened, which would be a defect of the writer.
  var reader: ArchiveReader? {
    opened.withLock { opened in
      if opened == nil { opened = try? ArchiveReader(from: DataByteSource(data: data)) }
      return opened
    }
  }

  /// Identifies the content: a field of the prefix.
  var contentDigest: ContentDigest {
    let start = data.startIndex + ArchivePrefix.FieldOffset.contentDigest
    return ContentDigest(rawValue: data[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }
}
