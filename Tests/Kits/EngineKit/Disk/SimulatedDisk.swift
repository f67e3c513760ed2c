package import Locking

/// A file system in memory that distinguishes data on disk from data in the system's memory only.
///
/// Content is durable once its file was flushed, and names once their folder was flushed. The store's folder itself is
/// a name in the folder above. When the machine stops, any part of the rest may have reached the disk: some renames and
/// not others, in any order, and any part of the content. A folder whose name is not on disk is lost with all its
/// contents.
package final class SimulatedDisk: Sendable {
  package struct Content {
    package var bytes: [UInt8] = []
    /// The content on disk.
    package var flushed: [UInt8] = []
  }

  package enum Change {
    case add(String, Int)
    case remove(String)
    case rename(String, String, Int)
  }

  package struct State {
    package var contents: [Content] = []
    package var names: [String: Int] = [:]
    package var flushedNames: [String: Int] = [:]
    package var changes: [Change] = []
    package var hasFolder = false
    /// Whether the name of the folder is on disk.
    package var isFolderFlushed = false
    package var locked: Set<Int> = []
  }

  package let state = Lock(State())

  /// Returns the disk after a power loss; `random` chooses which unflushed data it has.
  package func afterPowerLoss(using random: inout some RandomNumberGenerator) -> SimulatedDisk {
    var state = state.withLock { $0 }
    guard state.isFolderFlushed || Bool.random(using: &random) else { return SimulatedDisk() }
    var names = state.flushedNames
    for change in state.changes where Bool.random(using: &random) {
      switch change {
      case .add(let name, let content): names[name] = content
      case .remove(let name): names[name] = nil
      case .rename(let old, let new, let content):
        if names[old] == content { names[old] = nil }
        names[new] = content
      }
    }
    for index in state.contents.indices {
      state.contents[index] = Self.survivor(of: state.contents[index], using: &random)
    }
    state.names = names
    return SimulatedDisk(
      State(
        contents: state.contents, names: names, flushedNames: names, hasFolder: state.hasFolder, isFolderFlushed: state.hasFolder))
  }

  /// Returns the disk after the death of the process: the system still has all data.
  package func afterProcessDeath() -> SimulatedDisk {
    var state = state.withLock { $0 }
    state.locked = []
    return SimulatedDisk(state)
  }

  private static func survivor(of content: Content, using random: inout some RandomNumberGenerator) -> Content {
    if content.bytes == content.flushed { return content }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return Content(bytes: content.flushed, flushed: content.flushed)
    case 1: return Content(bytes: content.bytes, flushed: content.bytes)
    case 2:
      let part = Array(content.bytes.prefix(Int.random(in: 0...content.bytes.count, using: &random)))
      return Content(bytes: part, flushed: part)
    default:
      // The length has reached the disk, the content has not.
      let zeros = [UInt8](repeating: 0, count: content.bytes.count)
      return Content(bytes: zeros, flushed: zeros)
    }
  }

  /// Creates an empty disk.
  package init() {}

  /// Creates a disk with files.
  package convenience init(files: [(name: String, bytes: [UInt8])]) {
    self.init()
    state.withLock { state in
      for (index, file) in files.enumerated() { state.names[file.name] = index }
      state.contents = files.map { Content(bytes: $0.bytes, flushed: $0.bytes) }
      (state.flushedNames, state.hasFolder, state.isFolderFlushed) = (state.names, true, true)
    }
  }

  private init(_ state: State) {
    self.state.withLock { $0 = state }
  }
}
