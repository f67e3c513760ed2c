#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
package import ArchiveFormat

/// An open archive, read on demand.
///
/// Opening reads a block or two. Each question then reads and verifies just the blocks that hold the answer, so that the screen the user
/// sees first can be restored before the rest is looked at:
///
///     let archive = try ArchiveReader(contentsOfFile: "notes.rsta")
///     archive.header.bundleVersion
///     if let list = try archive.node(at: "root/list") {
///       let row = try list.decoder().decode(Int.self, forKey: "row")
///     }
///
/// No byte is believed before its checksum was checked. Where a block is damaged, only what lies in it is lost: reading that throws, all
/// else goes on. A reader may be used from several threads at once.
public struct ArchiveReader: Sendable {
  /// What all copies of a reader share, so that a node that holds one stays small.
  private final class Storage: Sendable {
    let records: RecordReader
    let limits: ReaderLimits
    let header: ArchiveHeader

    init(records: RecordReader, limits: ReaderLimits) {
      self.records = records
      self.limits = limits
      header = ArchiveHeader(records.metadata.volatileHeader + records.metadata.header)
    }
  }

  private let storage: Storage

  /// The archive as records.
  package var records: RecordReader { storage.records }
  /// What it may spend.
  public var limits: ReaderLimits { storage.limits }
  /// What the archive says about itself.
  public var header: ArchiveHeader { storage.header }

  /// Opens an archive that lies in memory.
  ///
  /// - Throws: What is wrong with prefix or metadata; `reader-limit`.
  public init(_ bytes: [UInt8], limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(.memory(bytes), limits: limits)
  }

  /// Opens an archive that lies in memory.
  ///
  /// The bytes are copied once.
  ///
  /// - Throws: What is wrong with prefix or metadata.
  public init(_ data: Data, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(.memory([UInt8](data)), limits: limits)
  }

  /// Opens an archive that is read through a source.
  ///
  /// - Throws: What the source throws, or what is wrong with prefix or metadata.
  public init(from source: some ArchiveByteSource, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(.source(ByteSourceAdapter(source: source)), limits: limits)
  }

  /// Opens an archive.
  ///
  /// With `toleratesLength` it opens a file of another length than it was written with, to see what is left of it.
  package init(_ bytes: [UInt8], toleratesLength: Bool) throws(ArchiveError) {
    try self.init(.memory(bytes), limits: .standard, toleratesLength: toleratesLength)
  }

  /// Opens an archive that is read through a source; `toleratesLength` as for bytes in memory.
  package init(from source: some ArchiveByteSource, toleratesLength: Bool) throws(ArchiveError) {
    try self.init(.source(ByteSourceAdapter(source: source)), limits: .standard, toleratesLength: toleratesLength)
  }

  private init(_ source: ArchiveSource, limits: ReaderLimits, toleratesLength: Bool = false) throws(ArchiveError) {
    do throws(FormatError) {
      storage = Storage(records: try RecordReader(source, toleratesLength: toleratesLength, limits: limits.opening), limits: limits)
    } catch {
      throw ArchiveError(error)
    }
  }

  // MARK: The archive as a whole

  /// The version of the format that the archive is in.
  public var formatVersion: FormatVersion {
    FormatVersion(major: records.prefix.majorVersion, minor: records.prefix.minorVersion)
  }

  /// Identifies the content, without the header's volatile parts.
  public var contentDigest: ContentDigest { ContentDigest(rawValue: records.prefix.contentDigest) }

  /// The length of the archive in bytes.
  public var byteCount: Int { records.layout.fileLength }

  /// The number of nodes.
  public var nodeCount: Int { records.recordCount - 1 }

  /// What was found damaged when the archive was opened, and could be replaced by a second copy.
  public var openingErrors: [ArchiveError] { records.openingErrors.map { ArchiveError($0) } }

  /// The ancillary sections.
  ///
  /// - Throws: `block-damaged` if one lies in a damaged block.
  public func sections() throws(ArchiveError) -> [ArchiveSection] {
    var result: [ArchiveSection] = []
    for entry in records.metadata.ancillarySections {
      do throws(FormatError) {
        let bytes = try records.bytes(of: entry)
        result.append(ArchiveSection(entry.code, data: Data(bytes.storage[bytes.range])))
      } catch {
        throw ArchiveError(error)
      }
    }
    return result
  }

  // MARK: Nodes

  /// The app itself: the node of the empty path, whose state is the application state and whose children are the roots.
  ///
  /// - Throws: `block-damaged` if its record is damaged.
  public func application() throws(ArchiveError) -> ArchivedNode {
    try node(index: 0, path: .application)
  }

  func node(index: Int, path: RestorationPath) throws(ArchiveError) -> ArchivedNode {
    do throws(FormatError) {
      return ArchivedNode(archive: self, node: try records.node(at: index), path: path)
    } catch {
      throw ArchiveError(error, path: path)
    }
  }

  /// The node at a path, or nil if there is none.
  ///
  /// - Throws: `block-damaged` if a damaged block hides the node or one above it.
  /// - Complexity: O(log n) in the siblings at each level, in blocks read as in time.
  public func node(at path: RestorationPath) throws(ArchiveError) -> ArchivedNode? {
    var node = try application()
    for identifier in path.components {
      guard let child = try node.child(identifier) else { return nil }
      node = child
    }
    return node
  }
}
