#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat
import RestorationArchive

/// A node that is skipped because restoring it crashed the app, and the state of a live object at its path.
struct QuarantinedEntry {
  /// The first encoding of the live object at this launch.
  enum Baseline {
    /// There was no object when restoring ended.
    case absent
    /// The digest of the encoding; nil if encoding failed.
    case encoded(ContentDigest?)
  }

  /// The quarantined path as given.
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
    if let digest { foundQuarantined[key] = digest }
    quarantine[index] = QuarantinedEntry(key: key)
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

extension RestorableApplication {
  /// Records the encoding of live objects at quarantined paths, before the user can change them.
  ///
  /// If `newcomer` is given, only that object and its descendants are considered: others may have changed since
  /// restoring ended.
  func noteQuarantinedObjects(_ session: RestorationSession, newcomer: (any Restorable)? = nil) {
    guard !session.quarantine.isEmpty else { return }
    let run = PreservationRun(self, header: ArchiveHeader(), options: PreservationOptions())
    guard (try? run.walk()) != nil else { return }
    for (index, entry) in session.quarantine.sorted(by: { $0.key < $1.key }) {
      guard case .absent = entry.baseline else { continue }
      if index == 0, newcomer == nil {
        if delegate != nil { session.quarantine[0]?.baseline = .encoded(run.digestOfApplicationState()) }
      } else if let number = run.number(at: session.path(of: index)), newcomer.map({ run.isNode(number, below: $0) }) ?? true {
        session.quarantine[index]?.baseline = .encoded(run.digest(ofLiveNode: number))
      }
    }
  }
}

extension PreservationRun {
  /// Returns whether a number belongs to an object or one of its descendants.
  func isNode(_ number: Int, below object: any Restorable) -> Bool {
    guard let top = self.number(of: object) else { return false }
    var next = number
    while next > top { next = state.value.nodes[next].parent }
    return next == top
  }

  /// Returns the number of the object at a path; nil if there is none, or only a placeholder.
  func number(at path: RestorationPath) -> Int? {
    var number = -1
    for identifier in path.components {
      guard let next = self.number(of: identifier, under: number) else { return nil }
      number = next
    }
    return number >= 0 && state.value.nodes[number].object != nil ? number : nil
  }

  /// Replaces live objects at quarantined paths by their saved state, if they still encode as they did first.
  func leaveOutQuarantined() {
    guard let session, session.refusal == nil, !session.isForgotten, !session.quarantine.isEmpty else { return }
    for (index, entry) in session.quarantine.sorted(by: { $0.key < $1.key }) where index > 0 {
      guard !entry.isEnded else {
        reportEnded(entry, at: session.path(of: index))
        continue
      }
      guard let number = number(at: session.path(of: index)), isToCarry(index) else { continue }
      if isUnchanged(entry, digest(ofLiveNode: number)) {
        state.value.nodes[number].isReplaced = true
      } else {
        session.quarantine[index]?.isEnded = true
        forgetCandidates()
        reportEnded(entry, at: session.path(of: index))
      }
    }
    guard state.value.nodes.contains(where: \.isReplaced) else { return }
    // Descendants are replaced too; parents come first.
    for number in state.value.nodes.indices {
      let parent = state.value.nodes[number].parent
      if parent >= 0, state.value.nodes[parent].isReplaced { state.value.nodes[number].isReplaced = true }
    }
  }

  /// Returns whether the quarantined application state is carried over, because the delegate still encodes the same
  /// state as at first.
  func carriesQuarantinedApplicationState() -> Bool {
    guard let session, session.refusal == nil, !session.isForgotten, let entry = session.quarantine[0] else { return false }
    if !entry.isEnded, isUnchanged(entry, digestOfApplicationState()) { return true }
    session.quarantine[0]?.isEnded = true
    reportEnded(entry, at: .application)
    return false
  }

  private func isUnchanged(_ entry: QuarantinedEntry, _ digest: ContentDigest?) -> Bool {
    guard case .encoded(let first) = entry.baseline else { return false }
    return first == digest
  }

  private func reportEnded(_ entry: QuarantinedEntry, at path: RestorationPath) {
    quarantineChanges.insert(entry.key)
    report(.quarantineEnded, path, "its quarantined state gives way to that of an object that was changed, and is offered")
  }

  /// Returns a digest of the encoding of an object and its descendants; nil if one of them fails to encode.
  func digest(ofLiveNode first: Int) -> ContentDigest? {
    let apart = ArchiveWriter(userInfo: userInfo)
    var written: [Int: ArchiveWriter.Node] = [:]
    do {
      // Gives the coders the correct paths.
      var above: ArchiveWriter.Node?
      for identifier in path(of: first).components.dropLast() { above = try apart.addNode(identifier, under: above) }
      for number in first..<state.value.nodes.count {
        let node = state.value.nodes[number]
        guard number == first || written[node.parent] != nil, let object = node.object else { continue }
        let tag = type(of: object).restorationType
        written[number] = try apart.addNode(
          node.identifier, under: number == first ? above : written[node.parent], type: tag.isEmpty ? nil : tag
        ) { try object.encodeRestorableState(with: $0) }
      }
      return try ArchiveReader(apart.finish()).contentDigest
    } catch {
      return nil
    }
  }

  /// Returns a digest of the delegate's encoding; nil if it fails.
  func digestOfApplicationState() -> ContentDigest? {
    guard let delegate = application.delegate else { return nil }
    let apart = ArchiveWriter(userInfo: userInfo)
    do {
      try apart.encodeApplicationState { try delegate.willEncodeRestorableState(with: $0) }
      return try ArchiveReader(apart.finish()).contentDigest
    } catch {
      return nil
    }
  }
}
