#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Locking
import RestorationArchive

/// A newly encoded archive, opened only when it is read; after most saves it never is.
final class PreservedArchive: Sendable {
  /// The encoded parts, from which the archive is assembled.
  let encoded: EncodedArchive
  /// The number of nodes.
  let nodeCount: Int
  private let kept = Lock<ArchiveReader?>(nil)

  init(_ encoded: EncodedArchive, nodeCount: Int) {
    self.encoded = encoded
    self.nodeCount = nodeCount
  }

  /// Returns the opened archive.
  ///
  /// - Throws: `file-too-large`; any other error would be a defect of the writer.
  func opened() throws(ArchiveError) -> ArchiveReader {
    try kept.withLock { (kept) throws(ArchiveError) in
      if let kept { return kept }
      let reader = try ArchiveReader(from: DataByteSource(data: encoded.data()))
      kept = reader
      return reader
    }
  }

  /// Returns a copy of the bytes.
  ///
  /// - Throws: `file-too-large`.
  func bytes() throws(ArchiveError) -> [UInt8] { [UInt8](try encoded.data()) }

  /// The opened archive; nil if assembling or opening it fails.
  var reader: ArchiveReader? {
    try? opened()
  }
}

/// The bytes of a newly assembled archive, read in place without another copy.
struct DataByteSource: ArchiveByteSource {
  let data: Data

  func byteCount() -> Int { data.count }

  func read(_ range: Range<Int>) -> [UInt8] {
    let first = data.startIndex
    return [UInt8](data[(first + min(range.lowerBound, data.count))..<(first + min(range.upperBound, data.count))])
  }
}

extension ArchiveHeader {
  /// Whether the content digest of an archive is the same with either header.
  func hasSameContent(as other: ArchiveHeader) -> Bool {
    content.entries == other.content.entries
  }

  /// The header without what the content digest leaves out.
  private var content: ArchiveHeader {
    var content = self
    (content.timestamp, content.systemVersion, content.writer) = (nil, nil, nil)
    return content
  }
}
