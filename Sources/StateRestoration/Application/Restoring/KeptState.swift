#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
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
    quarantined.insert(index)
    return true
  }

  /// Returns whether the state of an entry is in an offer: its object has changed since it was quarantined.
  func isOffered(_ index: Int) -> Bool {
    !quarantined.isEmpty && quarantined.contains(index) && kept[index]?.isReplaced == true
  }

  /// Returns whether the app had a way to make or find the object of an entry (R-3.5-6).
  func couldClaim(_ index: Int) -> Bool { kept[index] != nil || state.value.progress[index].rule != Self.noRule }

  /// Returns whether the object at the path of an entry is saved instead of the entry's state.
  func isReplaced(_ index: Int) -> Bool { kept[index]?.isReplaced == true }

}

extension RestorableApplication {
  /// Records the first encoding of each object that stands at the path of state that it did not take in, before the user
  /// can change it.
  ///
  /// Called when restoring ends and when the turn of the actor ends in which it did: changes within that turn are the
  /// app's own. If `newcomer` is given, only that object and its descendants are considered: others may have changed since.
  func noteKeptStates(_ session: RestorationSession, newcomer: (any Restorable)? = nil) {
    guard session.refusal == nil, !session.isForgotten, newcomer != nil || session.isFirstTurn else { return }
    if newcomer == nil, session.keepsApplicationState, session.kept[0] == nil, delegate != nil {
      let capture = Capture(self, header: ArchiveHeader(), options: PreservationOptions())
      session.kept[0] = KeptState(object: nil, encoding: capture.digestOfApplicationState())
    }
    let waiting = session.pendingEntries().filter { session.kept[$0] == nil }
    guard !waiting.isEmpty, !roots.isEmpty || !registered.isEmpty else { return }
    let capture = Capture(self, header: ArchiveHeader(), options: PreservationOptions())
    guard (try? capture.walk()) != nil else { return }
    var found: Set<Int> = []
    for index in waiting {
      let path = session.path(of: index)
      // Of two nodes for one path, the object is that of the one saved later.
      guard session.entry(at: path) == index, let number = capture.tree.number(at: path), let object = capture.tree[number].object,
        newcomer.map({ capture.tree.isNode(number, below: $0) }) ?? true
      else { continue }
      session.kept[index] = KeptState(object: object, encoding: capture.digest(of: number))
      found.insert(number)
    }
    if !found.isEmpty { noteBlanks(below: found, session, capture) }
  }

  /// Records that the turn of the actor is over in which restoring has ended.
  package func endFirstTurn() {
    guard let session, session.isFirstTurn, !isBusy else { return }
    noteKeptStates(session)
    session.isFirstTurn = false
  }

  /// Records the objects below kept state that have no state of their own in the archive, such as the tab that a new
  /// window begins with: they are saved once they change.
  private func noteBlanks(below tops: Set<Int>, _ session: RestorationSession, _ capture: Capture) {
    var isBelow = tops
    for number in capture.tree.numbers where isBelow.contains(Int(capture.tree[number].parent)) && !tops.contains(number) {
      guard let object = capture.tree[number].object, session.entry(at: capture.tree.path(of: number)) == nil else { continue }
      isBelow.insert(number)
      session.blanks[ObjectIdentifier(object)] = KeptState(object: object, encoding: capture.digest(of: number))
    }
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
