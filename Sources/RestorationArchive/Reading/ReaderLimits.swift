import ArchiveFormat

/// The resources that a reader may spend on one archive (Spec §10).
///
/// The format's own limits bound the cost of opening and reading an archive in proportion to the file. These limits
/// serve apps that know more: an app that saves a megabyte need not open a gigabyte. They can only be stricter than
/// those of the format. Exceeding one throws `reader-limit`, or `value-budget` for ``values``; the file itself is not
/// at fault:
///
///     var limits = ReaderLimits.standard
///     limits.fileLength = 10_000_000
///     let archive = try ArchiveReader(contentsOfFile: path, limits: limits)
public struct ReaderLimits: Sendable, Equatable {
  /// The number of ``ArchiveValue`` instances, or parts of one Codable value, that a call may create: 16,777,216 by
  /// default.
  ///
  /// One byte of the file can become 64 bytes of memory, so the default allows about 1 GiB in the worst case. Within a
  /// Codable value, only parts that decode themselves count; strings, numbers and the like do not.
  public var values: Int {
    didSet { values = max(values, 0) }
  }

  /// The maximum length of the archive in bytes: 4,294,967,295 by default, as in the format.
  public var fileLength: Int {
    didSet { fileLength = min(fileLength, Self.maximumByteCount) }
  }

  /// The maximum length of the metadata in bytes: 16,777,216 by default, as in the format.
  ///
  /// Opening an archive reads all metadata and turns its header, types, origins and keys into values.
  public var metadataLength: Int {
    didSet { metadataLength = min(metadataLength, Self.maximumMetadata) }
  }

  /// The maximum number of nodes: 89,478,484 by default, as many as fit in a file.
  ///
  /// An app that creates an object per node spends more memory than the file takes.
  public var nodes: Int {
    didSet { nodes = min(nodes, Self.maximumNodeCount) }
  }

  /// The maximum nesting depth of arrays and dictionaries: 128 by default, as in the format.
  ///
  /// Each level takes stack space; lower the limit for threads with a small stack.
  public var nesting: Int {
    didSet { nesting = min(nesting, FormatLimits.nesting) }
  }

  private static let maximumByteCount = Int(clamping: FormatLimits.longestFile)
  private static let maximumMetadata = Int(FormatLimits.longestMetadata)
  /// Record 0 is not a node.
  private static let maximumNodeCount = maximumByteCount / NodeRecord.byteCount - 1

  /// Creates limits; omitted ones are those of the format.
  public init(values: Int = 1 << 24, fileLength: Int = .max, metadataLength: Int = .max, nodes: Int = .max, nesting: Int = .max) {
    self.values = max(values, 0)
    self.fileLength = min(fileLength, Self.maximumByteCount)
    self.metadataLength = min(metadataLength, Self.maximumMetadata)
    self.nodes = min(nodes, Self.maximumNodeCount)
    self.nesting = min(nesting, FormatLimits.nesting)
  }

  /// The default limits.
  public static let standard = ReaderLimits()

  /// Checks the lengths stated in the prefix (rule R-10-1).
  func check(_ layout: FileLayout) throws(FormatError) {
    typealias Field = ArchivePrefix.FieldOffset
    try Self.check(layout.fileLength, fileLength, "file length", at: Field.fileLength)
    try Self.check(layout.metadataLength, metadataLength, "metadata length", at: Field.metadataLength)
  }

  /// Checks the record count stated in the metadata (rule R-10-1).
  func check(recordCount: Int) throws(FormatError) {
    try Self.check(recordCount, nodes + 1, "node records", at: ArchivePrefix.byteCount)
  }

  private static func check(_ found: Int, _ limit: Int, _ subject: String, at offset: Int) throws(FormatError) {
    guard found > limit else { return }
    throw FormatError(.readerLimit, at: offset, subject, expected: "at most \(limit), the limit of this reader", found: .number(found))
  }
}

/// The number of values that may still be created (rule R-10-1).
///
/// Empty values count like any other.
struct ValueBudget {
  private var left: Int
  private let limits: ReaderLimits

  init(_ limits: ReaderLimits) {
    left = limits.values
    self.limits = limits
  }

  /// Throws if a container at this depth exceeds the nesting limit (rules R-6.1-9, R-10-1), which also bounds
  /// recursion.
  @inline(__always)
  func checkDepth(_ depth: Int, at offset: Int) throws(FormatError) {
    if depth >= limits.nesting { throw Self.depthError(depth, at: offset, limits) }
  }

  @inline(never)
  private static func depthError(_ depth: Int, at offset: Int, _ limits: ReaderLimits) -> FormatError {
    let code = depth >= FormatLimits.nesting ? FormatErrorCode.nestingDepth : .readerLimit
    return FormatError(code, at: offset, "nesting", expected: "at most \(limits.nesting) levels")
  }

  /// Counts one value against the budget.
  @inline(__always)
  mutating func spend() throws(FormatError) {
    left &-= 1
    if left < 0 { throw FormatError(.valueBudget, at: nil, "values", expected: "at most \(limits.values) at once") }
  }
}
