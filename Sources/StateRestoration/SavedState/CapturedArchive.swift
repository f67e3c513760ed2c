import FoundationValues
import Locking
import RestorationArchive

/// The archive of a capture, assembled and opened only when it is needed; after most saves it is never opened.
final class CapturedArchive: Sendable {
  private enum Content {
    case encoded(EncodedArchive)
    case bytes([UInt8])
  }

  private let content: Content
  private let reader: Lock<ArchiveReader?>
  /// The number of nodes.
  let nodeCount: Int

  /// Takes the output of a writer.
  init(_ encoded: EncodedArchive, nodeCount: Int) {
    content = .encoded(encoded)
    self.nodeCount = nodeCount
    reader = Lock(nil)
  }

  /// Takes the bytes of an archive.
  ///
  /// - Throws: An error if they cannot be opened.
  init(_ bytes: [UInt8]) throws(ArchiveError) {
    let opened = try ArchiveReader(bytes)
    content = .bytes(bytes)
    nodeCount = opened.nodeCount
    reader = Lock(opened)
  }

  /// Returns the opened archive.
  ///
  /// - Throws: `file-too-large`; an error for bytes of a caller that are not an archive.
  func opened() throws(ArchiveError) -> ArchiveReader {
    try reader.withLock { (reader) throws(ArchiveError) in
      if let reader { return reader }
      let opened = try ArchiveReader(from: DataByteSource(data: data()))
      reader = opened
      return opened
    }
  }

  /// The digest of the content; that of a writer's output is known without opening it.
  ///
  /// - Throws: The errors of ``opened()``.
  var digest: ContentDigest {
    get throws(ArchiveError) {
      if case .encoded(let encoded) = content, let digest = try encoded.writtenDigest { return digest }
      return try opened().contentDigest
    }
  }

  /// Returns the bytes.
  ///
  /// - Throws: `file-too-large`.
  func bytes() throws(ArchiveError) -> [UInt8] {
    switch content {
    case .encoded(let encoded): [UInt8](try encoded.data())
    case .bytes(let bytes): bytes
    }
  }

  /// Returns the bytes in the form in which they exist.
  ///
  /// - Throws: `file-too-large`.
  func data() throws(ArchiveError) -> Data {
    switch content {
    case .encoded(let encoded): try encoded.data()
    case .bytes(let bytes): Data(bytes)
    }
  }
}

/// The bytes of a newly assembled archive, read in place without another copy.
private struct DataByteSource: ArchiveByteSource {
  let data: Data

  func byteCount() -> Int { data.count }

  func read(_ range: Range<Int>) -> [UInt8] {
    let first = data.startIndex
    return [UInt8](data[(first + min(range.lowerBound, data.count))..<(first + min(range.upperBound, data.count))])
  }
}
