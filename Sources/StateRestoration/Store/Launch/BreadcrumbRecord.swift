import ArchiveFormat
import RestorationArchive

/// How far a launch has come, written over the record before at each step.
///
/// It is not flushed: it must survive the process, not the machine. It fits a page, and one write within a page is there as a whole or not at
/// all after the process was killed. A path that is too long for the page stands there as its hash alone, to be looked up among the nodes of
/// the archive.
struct BreadcrumbRecord: Equatable {
  /// What the process was doing.
  enum Phase: UInt32 {
    /// Nothing for which a node could be blamed.
    case none = 0
    case creating
    case decoding
    case finishing
  }

  /// Whether the process runs, and if not, how it ended.
  enum Ending: UInt32 {
    case running = 0
    case ended
    case signal
    case suspended
  }

  /// An archive that was being restored and not stable.
  struct Archive: Equatable {
    /// The XXH64 of its name.
    var hash: UInt64
    /// The number of the generation that is restored.
    var generation: UInt64
    /// Whether it was saved with changes since.
    var hasSaved = false
  }

  var ending = Ending.running
  var phase = Phase.none
  /// A number that tells this launch from others.
  var launch: UInt64 = 0
  /// What identifies the boot of the machine; 0 if that is not known.
  var boot: UInt64 = 0
  /// The build that runs.
  var bundleVersion: String?
  /// The archives that are being restored; the last one is the one that a callback is for.
  var archives: [Archive] = []
  /// The XXH64 of the text of the path of the node that is called.
  private(set) var pathHash: UInt64 = 0
  /// The text of that path; nil if it is too long.
  private(set) var path: String?

  /// The number of bytes of a record without archives, build and path, and without the checksum at its end.
  private static let headBytes = 64
  /// How long a record may be, a page.
  static let mostBytes = 4096
  /// How many archives are noted; deaths while more are restored at a time count for the last ones only.
  static let mostArchives = 64
  private static let mostVersionBytes = 512
  private static let mark: UInt64 = 0x6272_6561_6463_7232
  private static let absent = UInt32.max

  init() {}

  /// The hash that stands for a text.
  static func hash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0
    text.withUTF8Bytes { hash = XXH64.hash($0) }
    return hash
  }

  /// Notes which node is called.
  mutating func call(_ phase: Phase, _ path: RestorationPath) {
    self.phase = phase
    let text = path.description
    pathHash = Self.hash(text)
    self.path = text
  }

  var encoded: [UInt8] {
    let archives = archives.suffix(Self.mostArchives)
    let version = Self.bytes(of: bundleVersion, atMost: Self.mostVersionBytes)
    let room = Self.mostBytes - Self.headBytes - 8 - 24 * archives.count - (version?.count ?? 0)
    let text = Self.bytes(of: path, atMost: room)
    let buffer = OutputBuffer(capacity: 256)
    buffer.append(Self.mark)
    buffer.append(ending.rawValue)
    buffer.append(phase.rawValue)
    buffer.append(launch)
    buffer.append(boot)
    buffer.append(pathHash)
    buffer.append(UInt32(archives.count))
    buffer.append(version.map { UInt32($0.count) } ?? Self.absent)
    buffer.append(text.map { UInt32($0.count) } ?? Self.absent)
    buffer.append(UInt32(0))
    buffer.append(UInt64(0))
    for archive in archives {
      buffer.append(archive.hash)
      buffer.append(archive.generation)
      buffer.append(UInt64(archive.hasSaved ? 1 : 0))
    }
    if let version { buffer.append(contentsOf: version.span) }
    if let text { buffer.append(contentsOf: text.span) }
    buffer.append(buffer.withSpan { XXH64.hash($0) })
    return buffer.makeArray()
  }

  /// The bytes of a text; nil if there is none, or if it is too long.
  private static func bytes(of text: String?, atMost count: Int) -> [UInt8]? {
    guard let text, text.utf8.count <= count else { return nil }
    return Array(text.utf8)
  }

  /// Reads a record, and what follows it; nil if it was not written whole.
  init?(_ bytes: [UInt8]) {
    let span = bytes.span
    guard bytes.count >= Self.headBytes + 8, span.uint64(at: 0) == Self.mark, let ending = Ending(rawValue: span.uint32(at: 8)),
      let phase = Phase(rawValue: span.uint32(at: 12))
    else { return nil }
    let count = Int(span.uint32(at: 40))
    let (versionLength, pathLength) = (span.uint32(at: 44), span.uint32(at: 48))
    guard count <= Self.mostArchives, versionLength == Self.absent || versionLength <= Self.mostBytes,
      pathLength == Self.absent || pathLength <= Self.mostBytes
    else { return nil }
    let versionStart = Self.headBytes + 24 * count
    let pathStart = versionStart + (versionLength == Self.absent ? 0 : Int(versionLength))
    let end = pathStart + (pathLength == Self.absent ? 0 : Int(pathLength))
    guard end + 8 <= bytes.count, XXH64.hash(span.extracting(0..<end)) == span.uint64(at: end) else { return nil }
    self.ending = ending
    self.phase = phase
    launch = span.uint64(at: 16)
    boot = span.uint64(at: 24)
    pathHash = span.uint64(at: 32)
    for number in 0..<count {
      let start = Self.headBytes + 24 * number
      archives.append(
        Archive(hash: span.uint64(at: start), generation: span.uint64(at: start + 8), hasSaved: span.uint64(at: start + 16) & 1 == 1))
    }
    if versionLength != Self.absent { bundleVersion = String(decoding: bytes[versionStart..<pathStart], as: UTF8.self) }
    if pathLength != Self.absent { path = String(decoding: bytes[pathStart..<end], as: UTF8.self) }
  }
}
