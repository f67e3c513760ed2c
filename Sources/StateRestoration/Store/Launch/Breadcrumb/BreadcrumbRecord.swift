import RestorationArchive

/// The progress of a launch; each step overwrites the record.
///
/// The record is not flushed: it must survive the process, not the machine. It fits in a page, and a write within one
/// page is completely done or not at all if the process is killed. A path too long for the page is stored as its hash
/// only, to be looked up among the nodes of the archive.
struct BreadcrumbRecord: Equatable {
  /// The callback that the process was in.
  enum Phase: UInt32 {
    /// None: no node can be the culprit.
    case none = 0
    case creating
    case decoding
    case finishing
  }

  /// Whether the process is running, or how it ended.
  enum Ending: UInt32 {
    case running = 0
    case ended
    case signal
    case suspended
  }

  /// An archive that was being restored and is not stable.
  struct Archive: Equatable {
    /// The XXH64 hash of the archive's name.
    var hash: UInt64
    /// The number of the restored generation.
    var generation: UInt64
    /// Whether the app has worked since: a save had changes, or a turn has ended.
    var hasWorked = false
  }

  var ending = Ending.running
  var phase = Phase.none
  /// A random number that identifies the launch.
  var launch: UInt64 = 0
  /// An identifier of the machine's boot; 0 if unknown.
  var boot: UInt64 = 0
  /// The running build.
  var bundleVersion: String?
  /// The archives that are being restored; a callback belongs to the last one.
  var archives: [Archive] = []
  /// The XXH64 hash of the called node's path, as text.
  private(set) var pathHash: UInt64 = 0
  /// The called node's path as text; nil if it is too long.
  private(set) var path: String?

  /// The length of a record without archives, build, path and the trailing checksum.
  private static let headBytes = 64
  /// The maximum length of a record: one page.
  static let maximumByteCount = 4096
  /// The maximum number of archives in a record.
  ///
  /// If more are being restored at once, a crash counts only against the last of them.
  static let maximumArchiveCount = 64
  private static let maximumVersionBytes = 512
  private static let mark: UInt64 = 0x6272_6561_6463_7232
  private static let absent = UInt32.max

  init() {}

  /// Returns the hash of a text.
  static func hash(_ text: String) -> UInt64 {
    FixedRecord.hash(text)
  }

  /// Records the node that is being called.
  mutating func call(_ phase: Phase, _ path: RestorationPath) {
    self.phase = phase
    let text = path.description
    pathHash = Self.hash(text)
    self.path = text
  }

  var encoded: [UInt8] {
    let archives = archives.suffix(Self.maximumArchiveCount)
    let version = Self.bytes(of: bundleVersion, atMost: Self.maximumVersionBytes)
    let room = Self.maximumByteCount - Self.headBytes - 8 - 24 * archives.count - (version?.count ?? 0)
    let text = Self.bytes(of: path, atMost: room)
    var record = FixedRecord()
    record.append(Self.mark)
    record.append(ending.rawValue)
    record.append(phase.rawValue)
    record.append(launch)
    record.append(boot)
    record.append(pathHash)
    record.append(UInt32(archives.count))
    record.append(version.map { UInt32($0.count) } ?? Self.absent)
    record.append(text.map { UInt32($0.count) } ?? Self.absent)
    record.append(UInt32(0))
    record.append(UInt64(0))
    for archive in archives {
      record.append(archive.hash)
      record.append(archive.generation)
      record.append(UInt64(archive.hasWorked ? 1 : 0))
    }
    if let version { record.append(contentsOf: version) }
    if let text { record.append(contentsOf: text) }
    record.appendChecksum()
    return record.bytes
  }

  /// Returns the bytes of a text; nil if it is nil or too long.
  private static func bytes(of text: String?, atMost count: Int) -> [UInt8]? {
    guard let text, text.utf8.count <= count else { return nil }
    return Array(text.utf8)
  }

  /// Parses a record, ignoring the bytes after it; nil if it was not completely written.
  init?(_ bytes: [UInt8]) {
    let fields = FixedRecord(bytes)
    guard bytes.count >= Self.headBytes + 8, fields.uint64(at: 0) == Self.mark, let ending = Ending(rawValue: fields.uint32(at: 8)),
      let phase = Phase(rawValue: fields.uint32(at: 12))
    else { return nil }
    let count = Int(fields.uint32(at: 40))
    let (versionLength, pathLength) = (fields.uint32(at: 44), fields.uint32(at: 48))
    guard count <= Self.maximumArchiveCount, versionLength == Self.absent || versionLength <= Self.maximumByteCount,
      pathLength == Self.absent || pathLength <= Self.maximumByteCount
    else { return nil }
    let versionStart = Self.headBytes + 24 * count
    let pathStart = versionStart + (versionLength == Self.absent ? 0 : Int(versionLength))
    let end = pathStart + (pathLength == Self.absent ? 0 : Int(pathLength))
    guard end + 8 <= bytes.count, fields.checksum(of: end) == fields.uint64(at: end) else { return nil }
    self.ending = ending
    self.phase = phase
    launch = fields.uint64(at: 16)
    boot = fields.uint64(at: 24)
    pathHash = fields.uint64(at: 32)
    for number in 0..<count {
      let start = Self.headBytes + 24 * number
      archives.append(
        Archive(hash: fields.uint64(at: start), generation: fields.uint64(at: start + 8), hasWorked: fields.uint64(at: start + 16) & 1 == 1)
      )
    }
    if versionLength != Self.absent { bundleVersion = String(decoding: bytes[versionStart..<pathStart], as: UTF8.self) }
    if pathLength != Self.absent { path = String(decoding: bytes[pathStart..<end], as: UTF8.self) }
  }
}
