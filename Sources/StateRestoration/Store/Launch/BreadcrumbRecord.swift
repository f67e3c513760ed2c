import ArchiveFormat
import RestorationArchive

/// How far a launch has come: a record of 64 bytes, and the path of the node concerned as text, written over those before.
///
/// It is not flushed: it must survive the process, not the machine. One write within a page of memory is there as a whole or not at all after
/// the process was killed. A path that is longer stands there as its hash alone, to be looked up among the nodes of the archive; of a node that
/// an alias moved the archive knows only another path.
struct BreadcrumbRecord: Equatable {
  /// What the process was doing.
  enum Phase: UInt32 {
    /// Nothing that could be blamed: the launch has not begun restoring, or it went well.
    case none = 0
    case creating
    case decoding
    case finishing
    case settling
  }

  /// Whether the process ended in good order; false while it runs.
  var hasEnded = false
  /// What the process was doing.
  var phase = Phase.none
  /// The number of the generation that is restored.
  var generation: UInt64 = 0
  /// The XXH64 of the text of the path of the node concerned.
  private(set) var pathHash: UInt64 = 0
  /// The text of that path; nil if it is too long.
  private(set) var path: String?
  /// The XXH64 of the name of the archive.
  var archiveHash: UInt64 = 0

  static let byteCount = 64
  /// How long a record with its path may be, a page.
  static let mostBytes = 4096
  private static let mark: UInt64 = 0x6272_6561_6463_7231

  /// The hash that stands for a text.
  static func hash(_ text: String) -> UInt64 {
    var hash: UInt64 = 0
    text.withUTF8Bytes { hash = XXH64.hash($0) }
    return hash
  }

  var encoded: [UInt8] {
    let buffer = OutputBuffer(capacity: Self.byteCount)
    buffer.append(Self.mark)
    buffer.append(UInt32(hasEnded ? 1 : 0))
    buffer.append(phase.rawValue)
    buffer.append(generation)
    buffer.append(pathHash)
    buffer.append(archiveHash)
    let text = Array((path ?? "").utf8)
    buffer.append(UInt64(text.count))
    buffer.append(UInt64(0))
    buffer.append(buffer.withSpan { XXH64.hash($0) })
    return buffer.makeArray() + text
  }

  init() {}

  /// Says that the process does something for a node.
  init(_ phase: Phase, path: RestorationPath, in generation: Generation) {
    self.phase = phase
    self.generation = generation.number
    archiveHash = Self.hash(generation.archive.fileName)
    let text = path.description
    pathHash = Self.hash(text)
    if text.utf8.count <= Self.mostBytes - Self.byteCount { self.path = text }
  }

  /// Reads a record, and what follows it; nil if it was not written whole.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.byteCount, bytes.span.uint64(at: 0) == Self.mark,
      XXH64.hash(bytes.span.extracting(0..<56)) == bytes.span.uint64(at: 56), let phase = Phase(rawValue: bytes.span.uint32(at: 12))
    else { return nil }
    hasEnded = bytes.span.uint32(at: 8) == 1
    self.phase = phase
    generation = bytes.span.uint64(at: 16)
    pathHash = bytes.span.uint64(at: 24)
    archiveHash = bytes.span.uint64(at: 32)
    let length = bytes.span.uint64(at: 40)
    guard length <= UInt64(bytes.count - Self.byteCount) else { return }
    let text = String(decoding: bytes[Self.byteCount..<(Self.byteCount + Int(length))], as: UTF8.self)
    if Self.hash(text) == pathHash { path = text }
  }
}
