import FoundationValues
import RestorationArchive
import Storage

/// Saved state that is kept beside an object: the object stands at its path and did not take it in.
///
/// Decoding threw, the object is of another type, no upgrade leads to its schema, it took the place of the object that
/// was restored, or the node is quarantined. While the object encodes as it did first, the saved state is written again
/// in its place. From the first difference on the object's own state is written, and the file before is kept.
///
/// The state follows the object: another object at the same path has nothing to do with it.
struct KeptState {
  /// The object; nil for the delegate, which encodes the application state.
  weak var object: (any Restorable)?
  /// The digest of its first encoding; nil if encoding failed.
  let encoding: ContentDigest?
  /// Whether the object has changed since; its own state is then saved.
  var isReplaced = false
  /// Whether the object came after restoring, and was not asked to take the state in.
  var isOfNewcomer = false

  /// Whether an object that encodes as `now` says is as it was; one that cannot encode now is not changed by that.
  func isUnchanged(_ now: ContentDigest?) -> Bool { now == nil || encoding == now }
}

extension RestorationSession {
  /// Returns whether an entry is quarantined by its path, its archived path, or a path that an alias maps to it.
  func isQuarantined(_ index: Int) -> Bool {
    let path = path(of: index)
    guard let (key, digest) = leftNodes.quarantine(of: path, archived: tree.archivedPaths[index]) else { return false }
    errors[index] = options.left[key]?.retry
    foundQuarantined[key] = (path, digest)
    quarantined.insert(index)
    return true
  }

  /// Returns whether the state of an entry is in an offer: its object has changed since it was quarantined.
  func isOffered(_ index: Int) -> Bool {
    !quarantined.isEmpty && quarantined.contains(index) && kept[index]?.isReplaced == true
  }

  /// Returns whether the app had a way to make or find the object of an entry (R-3.5-6).
  func couldClaim(_ index: Int) -> Bool { kept[index] != nil || progress[index].rule != Self.noRule }

  /// Returns whether the object at the path of an entry is saved instead of the entry's state.
  func isReplaced(_ index: Int) -> Bool { kept[index]?.isReplaced == true }
}

/// The quarantined nodes of an archive, as the restoring build sees them.
struct QuarantinedNodes {
  private let options: RestorationOptions
  private let archive: ArchiveReader
  /// The quarantined paths by those to which aliases move them.
  private let moved: [RestorationPath: RestorationPath]

  init(_ options: RestorationOptions, in archive: ArchiveReader, _ resolver: Resolver) {
    (self.options, self.archive) = (options, archive)
    // The node that is still there under the old path is meant, and not another one to whose place an alias would move it.
    let gone = resolver.registered.moves.isEmpty ? [] : options.quarantined.filter { (try? archive.node(at: $0)) == nil }
    moved = Dictionary(gone.map { (resolver.moved($0), $0) }) { min($0, $1) }
  }

  /// Returns the path by which a node is quarantined, and the digest of its state if that can be read; nil for a state
  /// other than the one that crashed the app, which is restored.
  func quarantine(of path: RestorationPath, archived: RestorationPath?) -> (key: RestorationPath, digest: UInt64?)? {
    let known = [path, archived].lazy.compactMap(\.self).first { options.quarantined.contains($0) }
    guard let key = known ?? moved[path] else { return nil }
    let digest = archive.quarantineDigest(of: archived ?? path)
    if let known = options.left[key]?.digest, let digest, known != digest { return nil }
    return (key, digest)
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
