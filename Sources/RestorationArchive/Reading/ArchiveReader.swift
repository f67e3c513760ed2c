package import ArchiveFormat
import FoundationValues
import Locking

/// An open archive, read on demand.
///
/// Opening reads a block or two. Each query then reads and verifies only the blocks that it needs, so the first visible
/// screen can be restored before the rest is read:
///
///     let archive = try ArchiveReader(contentsOfFile: "notes.rsta")
///     archive.header.bundleVersion
///     if let list = try archive.node(at: "root/list") {
///       let row = try list.decoder().decode(Int.self, forKey: "row")
///     }
///
/// No byte is used before its checksum has been verified. A damaged block loses only its own content: reading that
/// throws, and everything else remains readable. A reader is safe to use from several threads at once.
public struct ArchiveReader: Sendable {
  /// The storage shared by all copies of a reader, so that a node, which holds a reader, stays small.
  private final class Storage: Sendable {
    let records: ArchiveRecords
    let limits: ReaderLimits
    let header: ArchiveHeader

    init(records: ArchiveRecords, limits: ReaderLimits) {
      self.records = records
      self.limits = limits
      header = ArchiveHeader(records.metadata.volatileHeader + records.metadata.header)
    }
  }

  private let storage: Storage

  /// The record-level view of the archive.
  package var records: ArchiveRecords { storage.records }
  /// The reader's resource limits.
  package var limits: ReaderLimits { storage.limits }
  /// The archive's header.
  public var header: ArchiveHeader { storage.header }

  /// Opens an archive in memory.
  ///
  /// The bytes are copied once, unless they are an array.
  ///
  /// - Throws: An error for a fault in the prefix or metadata; `reader-limit`.
  public init(_ bytes: some Collection<UInt8>, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(.memory([UInt8](bytes)), limits: limits)
  }

  /// Opens an archive that is read through a source.
  ///
  /// - Throws: The source's error, or one for a fault in the prefix or metadata; `reader-limit`.
  public init(from source: some ArchiveByteSource, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(ArchiveSource(source), limits: limits)
  }

  /// Opens an archive in memory for inspection, even if parts of it are damaged.
  ///
  /// It also opens a link by itself, and a file that was truncated or extended, and reports that in ``openingErrors``.
  ///
  /// - Throws: The reason, if no part of the archive can be read.
  public init(inspecting bytes: [UInt8]) throws(ArchiveError) {
    try self.init(.memory(bytes), limits: .standard, toleratesLength: true)
  }

  /// Opens an archive that is read through a source for inspection, like one in memory.
  package init(inspecting source: some ArchiveByteSource) throws(ArchiveError) {
    try self.init(ArchiveSource(source), limits: .standard, toleratesLength: true)
  }

  /// Opens an archive, or a link by itself, whose nodes are only those that it changes (Spec §15).
  package init(link source: some ArchiveByteSource, limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(ArchiveSource(source), limits: limits, allowsLink: true)
  }

  /// Opens an archive, or a link by itself, whose nodes are only those that it changes (Spec §15).
  package init(link bytes: [UInt8], limits: ReaderLimits = .standard) throws(ArchiveError) {
    try self.init(.memory(bytes), limits: limits, allowsLink: true)
  }

  private init(
    _ source: @autoclosure () throws(FormatError) -> ArchiveSource, limits: ReaderLimits, toleratesLength: Bool = false,
    allowsLink: Bool = false
  ) throws(ArchiveError) {
    do throws(FormatError) {
      let opening = try ArchiveOpening(source(), toleratesLength: toleratesLength)
      try limits.check(opening.layout)
      let records = try ArchiveRecords(opening)
      try limits.check(recordCount: records.recordCount)
      if records.metadata.link != nil, !allowsLink, !toleratesLength {
        throw FormatError(.unresolvedLink, at: nil, "archive", expected: "one that is complete", found: "a link, to be applied to a base")
      }
      storage = Storage(records: records, limits: limits)
    } catch {
      throw ArchiveError(error)
    }
  }

  // MARK: The archive as a whole

  /// The version of the archive's format.
  public var formatVersion: FormatVersion {
    FormatVersion(major: records.prefix.majorVersion, minor: records.prefix.minorVersion)
  }

  /// A digest of the content, excluding the volatile header.
  public var contentDigest: ContentDigest { ContentDigest(rawValue: records.prefix.contentDigest) }

  /// Reads what a link says of its nodes; nil for an archive that is no link.
  ///
  /// - Throws: `block-damaged`, and the faults of the section (F6 to F8 of Spec §7.2).
  /// - Complexity: O(n) in the nodes.
  package func linkTable() throws(ArchiveError) -> LinkTable? {
    guard let section = records.metadata.link else { return nil }
    return try ArchiveError.wrapping { () throws(FormatError) in
      try LinkTable(records.bytes(of: section), nodes: records.bytes(of: records.metadata.sections[0]))
    }
  }

  /// Whether the archive is a link: it has only what changed since another file (Spec §15).
  package var isLink: Bool { records.metadata.link != nil }

  /// The length of the archive in bytes.
  public var byteCount: Int { records.layout.fileLength }

  /// The number of nodes.
  public var nodeCount: Int { records.recordCount - 1 }

  /// The damage found when the archive was opened; intact second copies were used instead, or the rest can be read.
  public var openingErrors: [ArchiveError] { records.openingErrors.map { ArchiveError($0) } }

  /// Returns the ancillary sections.
  ///
  /// - Throws: `block-damaged` if a section lies in a damaged block.
  public func sections() throws(ArchiveError) -> [ArchiveSection] {
    try ArchiveError.wrapping { () throws(FormatError) in
      try records.metadata.ancillarySections.map { entry throws(FormatError) in
        let bytes = try records.bytes(of: entry)
        return ArchiveSection(entry.code, data: Data(bytes.storage[bytes.range]))
      }
    }
  }

  // MARK: Nodes

  /// Returns the node of the app itself: its path is empty, its state is the application state, and its children are
  /// the roots.
  ///
  /// - Throws: `block-damaged` if its record is damaged.
  public func application() throws(ArchiveError) -> NodeReader {
    try node(index: 0, path: .application)
  }

  /// Returns the node whose record has an index; the caller knows its path.
  package func node(index: Int, path: RestorationPath) throws(ArchiveError) -> NodeReader {
    let node = try ArchiveError.wrapping(path: { _ in path }) { () throws(FormatError) in try records.node(at: index) }
    return NodeReader(archive: self, node: node, place: LazyPath(path))
  }

  /// Returns the node at `path`, or nil if there is none.
  ///
  /// - Throws: `block-damaged` if a damaged block hides the node or one of its ancestors.
  /// - Complexity: O(log n) in the number of siblings at each level, in time and in blocks read.
  public func node(at path: RestorationPath) throws(ArchiveError) -> NodeReader? {
    var node = try application()
    for identifier in path.components {
      guard let child = try node.child(identifier) else { return nil }
      node = child
    }
    return node
  }
}

/// A version of the format (Spec §9.1).
public struct FormatVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The major version; it changes when older readers must reject the archive.
  public let major: UInt16
  /// The minor version; it changes when older readers can ignore the new parts.
  public let minor: UInt16

  /// The version that this build writes.
  public static let current = FormatVersion(major: 1, minor: 0)

  /// Returns whether the left version is older.
  public static func < (left: FormatVersion, right: FormatVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  /// The major and minor version, separated by a full stop.
  public var description: String { "\(major).\(minor)" }
}

extension FormatVersion {
  /// The length of the prefix that every archive begins with.
  package static let prefixByteCount = ArchivePrefix.byteCount

  /// Returns whether the prefix of an archive requires a later version of this library; nil if it is damaged or not
  /// that of an archive.
  package static func isLater(prefix: [UInt8]) -> Bool? {
    guard prefix.count == ArchivePrefix.byteCount, ArchivePrefix.isIntact(prefix.span) else { return nil }
    let prefix = ArchivePrefix(reading: prefix.span)
    return prefix.majorVersion != ArchivePrefix.majorVersion || prefix.features != 0
  }
}

/// A source from which an archive is read on demand, such as a file, other storage, or an unsealed file.
///
/// The reader verifies all bytes that a source delivers, so a source need not protect its storage against changes.
public protocol ArchiveByteSource: Sendable {
  /// Returns the current number of bytes.
  func byteCount() throws(ArchiveError) -> Int
  /// Reads the bytes at `range`, or fewer at the end of the source.
  func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8]
}

extension ArchiveSource {
  /// Reads through a public source, with its errors in the form of the format layer.
  init(_ source: some ArchiveByteSource) throws(FormatError) {
    let byteCount = try Self.withFormatErrors { () throws(ArchiveError) in try source.byteCount() }
    self = .onDemand(byteCount: byteCount) { range throws(FormatError) in
      let bytes = try Self.withFormatErrors { () throws(ArchiveError) in try source.read(range) }
      return bytes.count <= range.count ? bytes : Array(bytes.prefix(range.count))
    }
  }

  private static func withFormatErrors<Result>(_ body: () throws(ArchiveError) -> Result) throws(FormatError) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw FormatError(.inputOutput, at: error.offset, error.subject, expected: .text(error.expected), found: .text(error.found))
    }
  }
}
