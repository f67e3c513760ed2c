import FoundationValues
import RestorationArchive

/// The state that is kept beside objects (``KeptState``).
extension Capture {
  /// Replaces the objects that still encode as they did first by the saved state that they did not take in.
  func keepStates() {
    guard let session, session.refusal == nil, !session.isForgotten, !session.kept.isEmpty || !session.quarantined.isEmpty else { return }
    // The nodes that limits drop are reported now.
    _ = shouldCarry(0)
    let noteCount = notes.count
    var isAnyKept = false
    for index in session.quarantined.union(session.kept.keys).sorted() where index > 0 && !session.isReplaced(index) {
      guard let number = tree.number(at: session.path(of: index)), let object = tree[number].object, shouldCarry(index) else { continue }
      if let kept = session.kept[index], kept.object === object, kept.encoding == digest(of: number) {
        tree[number].isReplaced = true
        isAnyKept = true
      } else {
        session.kept[index] = KeptState(object: object, encoding: nil, isReplaced: true)
      }
    }
    if isAnyKept, !session.blanks.isEmpty { omitBlanks(session.blanks) }
    // Encoding for comparison is not the save.
    notes.removeLast(notes.count - noteCount)
    for index in session.quarantined.sorted() where index > 0 && session.isOffered(index) { reportOffered(session.path(of: index)) }
  }

  /// Leaves out the objects without saved state below kept ones, unless one of them or below them has changed.
  private func omitBlanks(_ blanks: [ObjectIdentifier: KeptState]) {
    var isUnchanged: Set<Int> = []
    var hasChanged: Set<Int> = []
    for number in tree.numbers.reversed() {
      guard let object = tree[number].object, let blank = blanks[ObjectIdentifier(object)], blank.object === object,
        !hasChanged.contains(number), digest(of: number) == blank.encoding
      else {
        hasChanged.insert(Int(tree[number].parent))
        continue
      }
      isUnchanged.insert(number)
    }
    for number in tree.numbers where isUnchanged.contains(number) {
      let parent = Int(tree[number].parent)
      if parent >= 0, tree[parent].isReplaced { tree[number].isReplaced = true }
    }
  }

  /// Returns whether the saved application state is written again, because the delegate did not take it in and still
  /// encodes the same state as at first.
  func keepsApplicationState() -> Bool {
    guard let session, session.refusal == nil, !session.isForgotten, let kept = session.kept[0] else { return false }
    if !kept.isReplaced, kept.encoding == digestOfApplicationState() { return true }
    session.kept[0]?.isReplaced = true
    if session.quarantined.contains(0) {
      reportOffered(.application)
    } else {
      report(.superseded, .application, Self.replacement)
    }
    return false
  }

  /// The message about kept state whose object has changed.
  static let replacement =
    "its object did not take in the saved state and has changed: its own state is saved, and the file before is pinned "
    + "(`restoration store` lists it)"

  private func reportOffered(_ path: RestorationPath) {
    quarantineChanges.insert(path)
    report(.quarantineEnded, path, "its quarantined state is replaced by the changed object's state, and is offered")
  }

  /// Returns a digest of the encoding of a single object; nil if it fails to encode.
  func digest(of number: Int) -> ContentDigest? {
    tree[number].object.flatMap { try? separatelyEncoded($0, number).contentDigest }
  }

  /// Returns an archive that has the encoding of a single object, at its path.
  func separatelyEncoded(_ object: any Restorable, _ number: Int) throws -> ArchiveReader {
    let apart = makeSeparateWriter()
    // Gives the coder the correct path.
    var above: ArchiveWriter.Node?
    let path = tree.path(of: number).components
    for identifier in path.dropLast() { above = try apart.addNode(identifier, under: above) }
    let tag = type(of: object).restorationType
    _ = try apart.addNode(path.last ?? "", under: above, type: tag.isEmpty ? nil : tag) { try object.encodeRestorableState(with: $0) }
    return try ArchiveReader(apart.finish())
  }

  /// Returns a digest of the delegate's encoding; nil if it fails.
  func digestOfApplicationState() -> ContentDigest? {
    guard let delegate = application.delegate else { return nil }
    let apart = makeSeparateWriter()
    guard (try? apart.encodeApplicationState { try delegate.willEncodeRestorableState(with: $0) }) != nil else { return nil }
    return try? ArchiveReader(apart.finish()).contentDigest
  }
}
