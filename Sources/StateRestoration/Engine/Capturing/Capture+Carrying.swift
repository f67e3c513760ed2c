import FoundationValues
import RestorationArchive

/// The unclaimed state that is carried over, and its place among the objects.
extension Capture {
  /// A node with unclaimed state.
  struct Candidate {
    let index: Int
    let node: NodeReader
    let origin: ArchiveOrigin
    /// Its contents, if they were read when restoring ended.
    let contents: NodeReader.Contents?

    /// Whether its state can be read, so that it can be written again.
    var isReadable: Bool { contents != nil || (try? node.everything()) != nil }
  }

  /// The nodes to carry over.
  struct Candidates {
    /// The entries, in archive order.
    let all: [Int]
    /// The candidates that are not processed yet, by entry.
    var left: [Int: Candidate]
  }

  /// Returns the origin of a node that is carried over once more.
  func carriedOrigin(of node: NodeReader) -> ArchiveOrigin {
    // What was set aside after a fresh start is as old as the first save of it.
    let time = node.header.timestamp ?? (session?.isOfArchive == false ? header.timestamp : nil)
    var origin = node.origin ?? ArchiveOrigin(bundleVersion: node.header.bundleVersion, timestamp: time)
    origin.sessionsCarried = origin.sessionsCarried == UInt32.max ? UInt32.max : origin.sessionsCarried + 1
    // The origin table only has room for shorter versions.
    if let version = origin.bundleVersion, version.utf8.count > 1024 { origin.bundleVersion = nil }
    return origin
  }

  /// Adds unclaimed nodes to the archive, each with its own origin, and placeholders for their ancestors.
  func carryOver() {
    guard let session = application.session, session.refusal == nil else { return }
    // During restoration, objects may still be adopted.
    if !session.isRunning { discardClosed(session.pendingEntries(), in: session) }
    // Of two nodes for one path, the one that was saved later.
    let all = findCandidates(of: session).all
    for index in all where !session.isOutdone(index) { carry(index, from: session) }
    for index in all where session.isOutdone(index) { carry(index, from: session) }
  }

  /// Carries over the unclaimed state at a placeholder's path, if any; the archive needs a node there anyway, as a
  /// parent.
  func carryOver(toPlace number: Int) {
    guard let session = application.session, session.refusal == nil, let index = session.entry(at: tree.path(of: number)), index > 0 else {
      return
    }
    if !session.isRunning { discardClosed([index], in: session) }
    _ = findCandidates(of: session)
    carry(index, from: session)
  }

  /// Returns whether the state of an entry is to be carried over.
  func shouldCarry(_ index: Int) -> Bool {
    guard let session else { return false }
    return findCandidates(of: session).left[index] != nil
  }

  private func findCandidates(of session: RestorationSession) -> Candidates {
    if let candidates { return candidates }
    let all = withinLimits(pendingNodes(of: session))
    let found = Candidates(all: all.map(\.index), left: Dictionary(all.map { ($0.index, $0) }, uniquingKeysWith: { first, _ in first }))
    candidates = found
    return found
  }

  private func pendingNodes(of session: RestorationSession) -> [Candidate] {
    // During decoding, the objects of undecoded entries are bound, and are saved at their own positions.
    let bound = session.isRunning ? Set(session.entryNumbers.numbers) : []
    return session.pendingEntries().compactMap { index in
      if let object = session.unadopted[index]?.object, tree.number(of: object) != nil, session.noteAdopted(index) { return nil }
      let isRewritten = session.tree.rewritten.contains(index)
      let isAsSaved = !isRewritten || isAsSaved(index, in: session)
      guard !session.isOffered(index),
        let node = isRewritten && isAsSaved ? session.tree.archivedNode(of: index) : session.tree.node(of: index)
      else { return nil }
      if bound.contains(index), let object = session.objects[index], tree.number(of: object) != nil { return nil }
      return Candidate(
        index: index, node: node, origin: carriedOrigin(of: node), contents: isAsSaved ? session.pendingContents[index] : nil)
    }
  }

  /// Returns whether an upgraded state is carried over as it was saved, so that an older build can read it, and a later one can
  /// upgrade it otherwise: no object has taken in, or stands for, what an upgrade has moved to or from it, and none of these
  /// nodes gives way to another.
  private func isAsSaved(_ index: Int, in session: RestorationSession) -> Bool {
    // State that is set aside may come back in this launch, without another upgrade. During restoring, objects are still to come.
    if isOfAside || session.isRunning { return false }
    if let known = asSaved[index] { return known }
    var family: Set<Int> = [index]
    var rest = [index]
    var isAsSaved = true
    while let next = rest.popLast() {
      // State set aside in place of a node lacks the value that the node gave away.
      let isOther = !session.isPending(next) || session.tree.replaced.contains(next) || hasLeft(next, in: session)
      if isOther || isGivingWay(next, in: session) { isAsSaved = false }
      for other in session.tree.related[next] ?? [] where family.insert(other).inserted { rest.append(other) }
    }
    for member in family { asSaved[member] = isAsSaved }
    return isAsSaved
  }

  /// Whether this save has an object at the path of an entry, or another node that waits, instead of the entry's own node.
  private func isGivingWay(_ index: Int, in session: RestorationSession) -> Bool {
    let path = session.path(of: index)
    if tree.number(at: path).map({ tree[$0].object != nil }) == true {
      return !unchanged.contains(index) || session.tree.archivedNode(of: index) == nil
    }
    guard session.isOutdone(index), let other = session.entry(at: path) else { return false }
    return session.isPending(other) && !hasLeft(other, in: session)
  }

  /// Whether the object at the path of an entry, or else the nearest one above it, has left the tree: its state is not carried over.
  private func hasLeft(_ index: Int, in session: RestorationSession) -> Bool {
    var next = index
    while next > 0, session.residents[next] == nil, !session.vacated.contains(next) { next = session.tree.entries[next].parent }
    guard let resident = session.residents[next] else { return false }
    if let object = tree.number(at: session.path(of: next)).flatMap({ tree[$0].object }) { return hasTakenPlace(object, next, in: session) }
    return resident.object.flatMap { tree.number(of: $0) } == nil
  }

  private func withinLimits(_ candidates: [Candidate]) -> [Candidate] {
    let limits = options.carryLimits
    var kept: [Candidate] = []
    for candidate in candidates {
      if !limits.end(candidate.node, candidate.origin, now: header.timestamp) {
        kept.append(candidate)
      } else {
        report(.expired, formerPath(of: candidate), "its state was unclaimed for too long: it is dropped, and the file before is pinned")
      }
    }
    // What its object has replaced is not written.
    func length(_ candidate: Candidate) -> Int { session?.isReplaced(candidate.index) == true ? 0 : candidate.node.stateByteCount }
    var total = kept.reduce(0) { $0 + length($1) }
    if total <= limits.byteCount { return kept }
    // Nodes carried longest are dropped first; among equals, the largest, and then the last.
    var dropped: Set<Int> = []
    let order = kept.indices.sorted {
      let left = kept[$0], right = kept[$1]
      return (left.origin.sessionsCarried, length(left), $0) > (right.origin.sessionsCarried, length(right), $1)
    }
    for index in order where total > limits.byteCount && length(kept[index]) > 0 {
      total -= length(kept[index])
      dropped.insert(index)
      report(.expired, formerPath(of: kept[index]), Self.overLimit)
    }
    return kept.indices.filter { !dropped.contains($0) }.map { kept[$0] }
  }

  /// The path of the last save, whose file is pinned for it.
  private func formerPath(of candidate: Candidate) -> RestorationPath {
    session?.formerPath(of: candidate.index) ?? candidate.node.path
  }

  private func carry(_ index: Int, from session: RestorationSession) {
    // Meanwhile an object may have claimed the state, or an object bound to the entry may have been added.
    guard let candidate = candidates?.left.removeValue(forKey: index), session.isPending(index), !session.isOffered(index) else { return }
    if session.isRunning, notReached.contains(index) || session.objects[index].map({ tree.number(of: $0) != nil }) == true { return }
    let path = candidate.node.path
    guard let identifier = path.identifier else { return }
    let parent = tree.ensurePlaceholder(at: path.components.dropLast())
    let other = tree.number(of: identifier, under: parent)
    let isTaken = other.map { place in
      tree[place].written != nil || tree[place].object != nil && (!tree[place].isReplaced || session.kept[index]?.isReplaced != false)
    }
    if isTaken == true || isWithinAnother(index, in: session) {
      let object = other.flatMap { tree[$0].object }
      if let object, session.unadopted[index]?.object === object, session.noteAdopted(index) { return }
      let isNewcomer = session.kept[index]?.isOfNewcomer ?? true
      session.kept[index] = KeptState(object: object, encoding: nil, isReplaced: true, isOfNewcomer: isNewcomer)
      let message = isNewcomer ? Self.newcomer : candidate.isReadable ? Self.replacement : Self.unreadable
      report(.superseded, formerPath(of: candidate), session.isOutdone(index) ? Self.outdone : message)
      return
    }
    do {
      var contents = try candidate.contents ?? candidate.node.everything()
      if let date = claimableTime(of: candidate, in: session) { contents.attributes[EngineAttribute.lastClaimable] = .date(date) }
      var above: ArchiveWriter.Node?
      if parent >= 0 {
        guard let written = ensureWritten(parent) else { return }
        above = written
      }
      let written = try writer.addNode(
        identifier, under: above, type: candidate.node.type, schemaVersion: candidate.node.schemaVersion, origin: candidate.origin)
      // Recorded before encoding its state can fail: the node is now in the archive, and others may be below it.
      adopt(identifier, under: parent, written: written)
      try writer.encode(
        contents.state, of: written, provider: contents.provider, attributes: storable(contents.attributes, at: path))
      report(.carriedOver, path, session.kept[index] == nil ? "its state is unclaimed" : "its object did not take its state in")
    } catch {
      report(.lost, formerPath(of: candidate), "its state cannot be carried over: \(ErrorText.text(of: error))")
    }
  }

  /// Whether another entry has the path of an entry, and its state is still a part of the node from which an upgrade has moved it.
  ///
  /// The next upgrade would find the state of this entry there already, and drop the other one, which was saved later.
  private func isWithinAnother(_ index: Int, in session: RestorationSession) -> Bool {
    guard session.isOutdone(index), let other = session.entry(at: session.path(of: index)), session.isPending(other) else { return false }
    return session.tree.archivedNode(of: other) == nil && isAsSaved(other, in: session)
  }

  /// Returns the time to note of a node that is carried over, from which its age is counted; nil to leave it as it is.
  private func claimableTime(of candidate: Candidate, in session: RestorationSession) -> Date? {
    guard let now = header.timestamp else { return nil }
    if session.couldClaim(candidate.index) {
      let date = max(now, header.laterSave ?? now)
      return Self.isRecent(candidate.node.lastClaimable, at: date) ? nil : date
    }
    // The clock may have been behind when the node was saved, by an earlier launch or by this one.
    guard candidate.node.origin == nil, candidate.node.lastClaimable == nil, let later = candidate.node.header.laterSave else { return nil }
    return later <= now || later == header.laterSave ? later : nil
  }

  /// Whether a date is less than a day old: a save without changes then has the same content.
  private static func isRecent(_ date: Date?, at now: Date) -> Bool {
    date.map { (0..<86_400).contains(now.timeIntervalSince($0)) } ?? false
  }

  /// Returns the attributes of a node without those that need a later version of the format, which are reported
  /// (R-3.5-1).
  func storable(_ attributes: ArchiveDictionary, at path: RestorationPath) -> ArchiveDictionary {
    var stored = attributes
    for entry in attributes where !ArchiveWriter.canStore(attribute: entry.key) {
      stored[entry.key] = nil
      report(.lost, path, "its attribute \(entry.key.escapedForDisplay) is of a later version of the format, and is dropped")
    }
    return stored
  }

  // MARK: Closed objects

  /// The fate of the object at the path of an entry, or of its nearest ancestor with an object.
  private enum Fate {
    /// The object exists, or never existed.
    case open
    /// The object at the path of this entry existed and has left the tree.
    case closed(Int)
  }

  /// Discards the unclaimed state of entries at or below the path of an object that was alive and is no longer in the tree.
  ///
  /// The nearest object decides: unclaimed state below a panel is kept as long as the panel exists, regardless of its
  /// window.
  private func discardClosed(_ entries: [Int], in session: RestorationSession) {
    let saved = session.tree
    var fates: [Int: Fate] = [0: .open]
    // The number of the live node at the path of each entry.
    var numbers: [Int: Int?] = [0: -1]
    for index in entries where session.isPending(index) {
      var way: [Int] = []
      var next = index
      while fates[next] == nil {
        way.append(next)
        next = saved.entries[next].parent
      }
      for entry in way.reversed() {
        let parent = saved.entries[entry].parent
        let number = (numbers[parent] ?? nil).flatMap { tree.number(of: saved.entries[entry].identifier, under: $0) }
        numbers[entry] = number
        fates[entry] = fate(of: entry, number, in: session) ?? fates[parent]
      }
      guard case .closed(let entry) = fates[index] else { continue }
      let path = session.formerPath(of: index)
      let hasMoved = mayHaveMoved(index, below: entry, in: session)
      session.discard(index, as: .closed)
      if hasMoved {
        let what = "its object has left without it, and the file before is pinned (`restoration store` lists it)"
        report(.superseded, path, what)
        session.errors[index] = what
      } else {
        report(.discarded, path, "the object at \(saved.path(of: entry).textForDisplay) was closed; its state is dropped")
      }
    }
  }

  /// Whether the object that state is kept beside, or else the one above it, lives on: perhaps in another window, whose archive
  /// does not get the state.
  private func mayHaveMoved(_ index: Int, below entry: Int, in session: RestorationSession) -> Bool {
    if let kept = session.kept[index] { return !kept.isReplaced && kept.object != nil }
    return session.residents[entry]?.object != nil
  }

  /// Whether an object has come to the path of an entry from another one, where the object before it was closed.
  private func hasTakenPlace(_ object: any Restorable, _ entry: Int, in session: RestorationSession) -> Bool {
    guard let resident = session.residents[entry], resident.object !== object,
      resident.object.map({ tree.number(of: $0) == nil }) ?? true
    else { return false }
    // The object before it is left out for it, and not closed.
    if !duplicates.isEmpty, duplicates[session.path(of: entry)]?.object === object { return false }
    // It may have come with its own entry.
    if let own = session.entry(takenInBy: object) { return own != entry }
    return application.lastState(of: object).map { $0.path != session.path(of: entry) } ?? false
  }

  /// Returns the fate of the object at the path of an entry; nil if it never existed.
  private func fate(of entry: Int, _ number: Int?, in session: RestorationSession) -> Fate? {
    if let number, let object = tree[number].object {
      // It is no successor, and what waited below the other one is not its own.
      if hasTakenPlace(object, entry, in: session) { return .closed(entry) }
      session.noteResident(object, atPathOf: entry)
      return .open
    }
    guard let resident = session.residents[entry] else { return session.vacated.contains(entry) ? .open : nil }
    // An object elsewhere in the tree was moved, not closed.
    if let object = resident.object, tree.number(of: object) != nil { return .open }
    return .closed(entry)
  }

  // MARK: Order

  /// Restores the saved order of siblings that were written out of order.
  ///
  /// Objects follow the order of their parent's `restorationChildren`. Nodes outside such a list are carried-over
  /// state, its placeholders and registered objects. Each of them keeps its saved position: directly after the nearest
  /// preceding saved sibling that is in this archive too, or first if there is none. Nodes that were not saved before
  /// come last.
  func orderSiblings() {
    if disordered.isEmpty { return }
    var children: [Int: [Int]] = [:]
    for number in tree.numbers where tree[number].written != nil && disordered.contains(Int(tree[number].parent)) {
      children[Int(tree[number].parent), default: []].append(number)
    }
    for (parent, numbers) in children where numbers.count > 1 {
      writer.reorder(ordered(numbers, under: parent).compactMap { tree[$0].written })
    }
  }

  /// Returns the children of a parent in their proper order.
  private func ordered(_ numbers: [Int], under parent: Int) -> [Int] {
    let listed = numbers.filter { tree[$0].isListed }
    guard listed.count < numbers.count, let session, session.refusal == nil, let entry = session.entry(at: tree.path(of: parent)) else {
      return numbers
    }
    let present = Set(numbers)
    var rest = present.subtracting(listed)
    let saved = session.tree
    // The unlisted siblings that follow each listed child; -1 for those before the first.
    var following: [Int: [Int]] = [:]
    var last = -1
    var sibling = saved.entries[entry].firstChild
    while sibling >= 0 {
      if !session.isOutdone(sibling), let number = tree.number(of: saved.entries[sibling].identifier, under: parent),
        present.contains(number)
      {
        if rest.remove(number) != nil {
          following[last, default: []].append(number)
        } else if tree[number].isListed {
          last = number
        }
      }
      sibling = saved.entries[sibling].nextSibling
    }
    return (following[-1] ?? []) + listed.flatMap { [$0] + (following[$0] ?? []) } + numbers.filter { rest.contains($0) }
  }
}

/// The state that is kept beside objects (``KeptState``).
extension Capture {
  /// Puts saved state in the place of objects that did not take it in and have not changed since.
  func keepStates() {
    guard let session, session.holdsState, !session.kept.isEmpty || !session.quarantined.isEmpty else { return }
    var failures: [Int: any Error] = [:]
    for index in session.kept.keys.sorted() where index > 0 && !session.isReplaced(index) {
      guard let kept = session.kept[index], let object = kept.object, let number = tree.number(at: session.path(of: index)),
        tree[number].object === object
      else { continue }
      if kept.isUnchanged(digest(of: number) { failures[number] = $0 }) { unchanged.insert(index) }
    }
    var isAnyKept = false
    // The nodes that limits drop are reported now. Not earlier: what an upgrade has moved away from state that is replaced now is
    // carried over by itself.
    _ = shouldCarry(0)
    for index in session.quarantined.union(session.kept.keys).sorted() where index > 0 && !session.isReplaced(index) {
      guard let number = tree.number(at: session.path(of: index)), let object = tree[number].object,
        let candidate = findCandidates(of: session).left[index]
      else { continue }
      // Without state that can be written again, the object would be in no file.
      if unchanged.contains(index), candidate.isReadable {
        tree[number].isReplaced = true
        isAnyKept = true
      } else {
        session.kept[index] = KeptState(object: object, encoding: nil, isReplaced: true)
      }
    }
    if isAnyKept, !session.blanks.isEmpty { omitBlanks(session.blanks) }
    for (number, error) in failures.sorted(by: { $0.key < $1.key }) where tree[number].isReplaced { reportUnknown(number, error) }
    for index in session.quarantined.sorted() where index > 0 && session.isOffered(index) { reportOffered(session.path(of: index)) }
  }

  /// Leaves out the objects without saved state below kept ones, unless one of them or below them has changed.
  private func omitBlanks(_ blanks: [ObjectIdentifier: KeptState]) {
    var isUnchanged: Set<Int> = []
    var hasChanged: Set<Int> = []
    for number in tree.numbers.reversed() {
      guard let object = tree[number].object, let blank = blanks[ObjectIdentifier(object)], blank.object === object,
        !hasChanged.contains(number), blank.isUnchanged(digest(of: number))
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

  /// Records that the delegate, which did not take in the saved application state, encodes another state than at first.
  func replaceKeptApplicationState() {
    session?.kept[0]?.isReplaced = true
    if session?.quarantined.contains(0) == true {
      reportOffered(.application)
    } else {
      report(.superseded, .application, Self.replacement)
    }
  }

  /// The message about kept state whose object has changed.
  static let replacement =
    "its object did not take in the saved state and has changed: its own state is saved, and the file before is pinned "
    + "(`restoration store` lists it)"

  /// The message about state that the limits of what is carried over have ended.
  private static let overLimit =
    "more state without an object is carried over than CarryLimits allow: it is dropped, and the file before is pinned "
    + "(`restoration store` lists it)"

  /// The message about state at whose path an object has come that was not asked to take it in.
  private static let newcomer =
    "an object has come to its path without taking it in: the object's own state is saved, and the file before is pinned "
    + "(`restoration store` lists it); restoreState(of:) gives an object that comes late its state, before the next save"

  /// The message about kept state that is damaged.
  private static let unreadable =
    "its saved state is damaged: its object's own state is saved, and the file before is pinned (`restoration store` lists it)"

  /// The message about the other one of two nodes for one path.
  private static let outdone =
    "another node for its path was saved later and has the object there, and the file before is pinned (`restoration store` lists it)"

  private func reportOffered(_ path: RestorationPath) {
    quarantineChanges.insert(path)
    report(.quarantineEnded, path, "its quarantined state is replaced by the changed object's state, and is offered")
  }

  /// Reports an object beside which state is kept, and of which nobody knows whether it has changed.
  private func reportUnknown(_ number: Int, _ error: any Error) {
    let path = tree.path(of: number)
    let text = "encoding failed, and the object did not take in the saved state, which is kept: what the user has changed is not saved: "
    report(.keptPrevious, path, text + ErrorText.text(of: error))
    application.delegate?.didCatch(error, at: path)
  }

  /// Returns a digest of the encoding of a single object, which its path is no part of; nil if it fails to encode.
  func digest(of number: Int, onFailure: (any Error) -> Void = { _ in }) -> ContentDigest? {
    guard let object = tree[number].object else { return nil }
    // Encoding for comparison is not the save.
    let noteCount = notes.count
    defer { notes.removeLast(notes.count - noteCount) }
    do {
      return try separatelyEncoded(object, number).quarantineDigest(of: tree.path(of: number)).map { ContentDigest(rawValue: $0) }
    } catch {
      onFailure(error)
      return nil
    }
  }

  /// Returns an archive that has the encoding of a single object, at its path.
  func separatelyEncoded(_ object: any Restorable, _ number: Int) throws -> ArchiveReader {
    let apart = makeSeparateWriter()
    // Gives the coder the correct path.
    var above: ArchiveWriter.Node?
    let path = tree.path(of: number).components
    for identifier in path.dropLast() { above = try apart.addNode(identifier, under: above) }
    _ = try apart.addNode(path.last ?? "", under: above, type: type(of: object).savedType.tag) {
      try object.encodeRestorableState(with: $0)
    }
    return try ArchiveReader(apart.finish())
  }

  /// Returns a digest of everything that the delegate encodes; nil if it fails.
  func digestOfApplicationState() -> ContentDigest? {
    guard let delegate = application.delegate else { return nil }
    let apart = makeSeparateWriter()
    let state: Void? = try? apart.encodeApplicationState { coder in
      // It may write there too; nothing is saved now, so its decision does not matter.
      _ = delegate.shouldSaveState(to: coder)
      try delegate.willEncodeRestorableState(with: coder)
    }
    guard state != nil else { return nil }
    return try? ArchiveReader(apart.finish()).contentDigest
  }
}
