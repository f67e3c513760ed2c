#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

extension Capture {
  /// Replaces live objects at quarantined paths by their saved state, if they still encode as they did first.
  func skipQuarantined() {
    guard let session, session.refusal == nil, !session.isForgotten, !session.quarantine.isEmpty else { return }
    for (index, entry) in session.quarantine.sorted(by: { $0.key < $1.key }) where index > 0 {
      guard !entry.isEnded else {
        reportEnded(entry, at: session.path(of: index))
        continue
      }
      guard let number = tree.number(at: session.path(of: index)), shouldCarry(index) else { continue }
      if isUnchanged(entry, digest(ofLiveNode: number)) {
        tree[number].isReplaced = true
      } else {
        session.quarantine[index]?.isEnded = true
        forgetCandidates()
        reportEnded(entry, at: session.path(of: index))
      }
    }
    guard tree.numbers.contains(where: { tree[$0].isReplaced }) else { return }
    // Descendants are replaced too; parents come first.
    for number in tree.numbers {
      let parent = Int(tree[number].parent)
      if parent >= 0, tree[parent].isReplaced { tree[number].isReplaced = true }
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
    report(.quarantineEnded, path, "its quarantined state is replaced by the changed object's state, and is offered")
  }

  /// Returns a digest of the encoding of an object and its descendants; nil if one of them fails to encode.
  func digest(ofLiveNode first: Int) -> ContentDigest? {
    let apart = makeSeparateWriter()
    var written: [Int: ArchiveWriter.Node] = [:]
    do {
      // Gives the coders the correct paths.
      var above: ArchiveWriter.Node?
      for identifier in tree.path(of: first).components.dropLast() { above = try apart.addNode(identifier, under: above) }
      for number in first..<tree.numbers.upperBound {
        let node = tree[number]
        guard number == first || written[Int(node.parent)] != nil, let object = node.object else { continue }
        let tag = type(of: object).restorationType
        written[number] = try apart.addNode(
          node.identifier, under: number == first ? above : written[Int(node.parent)], type: tag.isEmpty ? nil : tag
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
    let apart = makeSeparateWriter()
    do {
      try apart.encodeApplicationState { try delegate.willEncodeRestorableState(with: $0) }
      return try ArchiveReader(apart.finish()).contentDigest
    } catch {
      return nil
    }
  }
}
