#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive
import Storage

/// A node that is skipped because restoring it crashed the app, and the state of a live object at its path.
struct QuarantinedEntry {
  /// The first encoding of the live object at this launch.
  enum Baseline {
    /// There was no object when restoring ended.
    case absent
    /// The digest of the encoding; nil if encoding failed.
    case encoded(ContentDigest?)
  }

  /// The current path of the node.
  let key: RestorationPath
  var baseline = Baseline.absent
  /// Whether the user has changed the object since; its own state is then saved.
  var isEnded = false
}

extension RestorationSession {
  /// Returns whether an entry is quarantined by its path, its archived path, or a path that an alias maps to it.
  func isQuarantined(_ index: Int) -> Bool {
    let path = path(of: index)
    let archived = state.value.tree.archivedPaths[index]
    var key: RestorationPath?
    if options.quarantined.contains(path) {
      key = path
    } else if let archived, options.quarantined.contains(archived) {
      key = archived
    } else if !resolver.moves.isEmpty {
      key = options.quarantined.first { resolver.moved($0) == path }
    }
    guard let key else { return false }
    let digest = archive.quarantineDigest(of: archived ?? path)
    // A state other than the one that crashed the app is restored.
    if let known = options.quarantineDigests[key], let digest, known != digest { return false }
    foundQuarantined[key] = (path, digest)
    quarantine[index] = QuarantinedEntry(key: path)
    return true
  }

  /// Returns whether an entry is at or below a node whose quarantine ended because the user changed its object; its
  /// state is in an offer.
  func isBelowEndedQuarantine(_ index: Int) -> Bool {
    if quarantine.isEmpty { return false }
    var next = index
    while next > 0 {
      if quarantine[next]?.isEnded == true { return true }
      next = state.value.tree.entries[next].parent
    }
    return false
  }
}

extension ArchiveReader {
  /// Returns a digest of the type and state of a node, to recognize the state that crashed the app; nil if it cannot be
  /// read.
  func quarantineDigest(of path: RestorationPath) -> UInt64? {
    guard let node = path.isEmpty ? try? application() : try? node(at: path), let state = try? node.state() else { return nil }
    let writer = ArchiveWriter()
    guard (try? writer.encode(["type": .string(node.type ?? ""), "state": .dictionary(state)], of: nil)) != nil,
      let data = try? writer.finish(), let reader = try? ArchiveReader(data)
    else { return nil }
    return reader.contentDigest.rawValue
  }
}
