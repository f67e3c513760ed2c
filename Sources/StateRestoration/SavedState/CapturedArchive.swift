import FoundationValues
import Locking
import RestorationArchive

/// The archive of a capture, assembled and opened only when it is needed; after most saves it is never opened.
final class CapturedArchive: Sendable {
  private let encoded: EncodedArchive
  private let reader: Lock<ArchiveReader?>
  /// The number of nodes.
  let nodeCount: Int

  /// Takes the output of a writer.
  init(_ encoded: EncodedArchive, nodeCount: Int) {
    self.encoded = encoded
    self.nodeCount = nodeCount
    reader = Lock(nil)
  }

  /// Takes the bytes of an archive.
  ///
  /// - Throws: An error if they cannot be opened.
  init(_ bytes: [UInt8]) throws(ArchiveError) {
    let opened = try ArchiveReader(bytes)
    encoded = EncodedArchive(Data(bytes))
    nodeCount = opened.nodeCount
    reader = Lock(opened)
  }

  /// Returns the opened archive.
  ///
  /// - Throws: `file-too-large`; an error for bytes of a caller that are not an archive.
  func opened() throws(ArchiveError) -> ArchiveReader {
    try reader.withLock { (reader) throws(ArchiveError) in
      if let reader { return reader }
      let opened = try ArchiveReader(encoded.data())
      reader = opened
      return opened
    }
  }

  /// The digest of the content; that of a writer's output is known without opening it.
  ///
  /// - Throws: The errors of ``opened()``.
  var digest: ContentDigest {
    get throws(ArchiveError) { if let digest = try encoded.writtenDigest { digest } else { try opened().contentDigest } }
  }

  /// Returns the bytes.
  ///
  /// - Throws: `file-too-large`.
  func data() throws(ArchiveError) -> Data { try encoded.data() }

  /// Returns a copy of the bytes.
  ///
  /// - Throws: `file-too-large`.
  func bytes() throws(ArchiveError) -> [UInt8] { [UInt8](try encoded.data()) }
}
