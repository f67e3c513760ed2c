import RestorationArchive

extension LaunchHistory {
  /// Returns the open offers of an archive, newest first.
  ///
  /// - Parameters:
  ///   - archive: The archive.
  ///   - files: All files.
  ///   - current: The file that a launch would restore if allowed.
  /// - Returns: The offers.
  func offers(of archive: ArchiveName, among files: [Generation], current: Generation?) -> [StoreOffer] {
    var offers: [StoreOffer] = []
    if let current, case .offer(let reason, let suspects) = decision(for: archive, current: current.number) {
      offers.append(StoreOffer(current, reason, suspects: suspects, isUnread: ledger.setAside[archive]?.isUnread == true))
    }
    let candidates = Set(files.candidates(for: archive, ledger))
    let accepted = Set(ledger.acceptances.filter { $0.archive == archive }.map(\.accepted))
    // The offers of a closed scene are open again once it is reopened.
    let closed = files.lazy.filter { $0.archive == archive && $0.mark == .closed }.map(\.number).max() ?? 0
    for generation in files.filter({ $0.archive == archive && $0.mark == .offered && $0.number > closed }).sorted(by: >)
    where !candidates.contains(generation) && !accepted.contains(generation.number) {
      let note = ledger.offer(generation.number, of: archive)
      offers.append(
        StoreOffer(
          generation, note?.reason ?? .unknown, suspects: note?.suspects ?? [], paths: note?.paths ?? [], isUnread: note?.isUnread == true))
    }
    return offers
  }

  /// Records offers once newer state was saved; the new current state starts without deaths.
  mutating func noteOffers(_ notes: [LaunchLedger.OfferNote], of archive: ArchiveName) {
    for note in notes {
      ledger.offers.removeAll { $0.archive == note.archive && $0.number == note.number }
      ledger.offers.append(note)
      for path in note.paths { _ = release(path, of: archive) }
      // Suspicion belongs to the state that is set aside, not to the name.
      if note.paths.isEmpty { ledger.suspects.removeAll { $0.archive == archive } }
    }
  }

  /// Whether an offer was accepted, or else declined; nil if it was not answered, as far as this launch knows.
  ///
  /// An offer that is on trial since an earlier launch counts as accepted.
  func answer(to number: UInt64, of archive: ArchiveName) -> Bool? {
    if ledger.acceptances.contains(where: { $0.archive == archive && $0.accepted == number }) { return true }
    return answers[Generation(archive, number)]
  }

  /// Removes an answered offer.
  mutating func closeOffer(_ number: UInt64, of archive: ArchiveName) {
    ledger.offers.removeAll { $0.archive == archive && $0.number == number }
  }

  /// Ends the suspicion of an archive after an answer, so that it is restored again instead of only offered.
  mutating func pardon(_ archive: ArchiveName) {
    ledger.setAside[archive] = nil
    shortenStreak()
    ledger.suspects.removeAll { $0.archive == archive }
    if index(of: archive).map({ restoring[$0].isSetAside }) == true { abandon(archive) }
  }

  /// Puts an accepted offer on trial.
  ///
  /// `digest` is the content digest of the file written for it.
  mutating func accept(
    _ number: UInt64, as digest: ContentDigest, replacing replaced: UInt64, of archive: ArchiveName, isRunning: Bool,
    wasClosed: Bool = false
  ) {
    ledger.acceptances.removeAll { $0.archive == archive }
    // The answer ends the suspicion.
    (ledger.setAside[archive], ledger.fresh[archive]) = (nil, nil)
    shortenStreak()
    ledger.suspects.removeAll { $0.archive == archive }
    ledger.acceptances.append(
      LaunchLedger.Acceptance(
        archive: archive, accepted: number, replaced: replaced, digest: digest, launch: isRunning ? launch.number : nil,
        wasClosed: wasClosed))
  }

  /// The accepted offers that are concluded, which the store has not carried out yet: the accepted state stays, or the one before
  /// it comes back.
  var conclusions: [LaunchLedger.Acceptance] { ledger.acceptances.filter { $0.isFinal != nil } }

  /// Returns the file operations that the conclusion about an accepted offer requires.
  ///
  /// - Parameters:
  ///   - acceptance: The accepted offer.
  ///   - files: All files.
  ///   - read: Returns the content digest of a file; nil if it cannot be read. It is not asked about an archive that ended the
  ///     process while it was read.
  /// - Returns: The file operations.
  func fileSteps(
    for acceptance: LaunchLedger.Acceptance, among files: [Generation], digest read: (Generation) -> ContentDigest?
  ) -> FileSteps {
    let isUnread = ledger.setAside[acceptance.archive]?.isUnread == true
    func digest(_ file: Generation) -> ContentDigest? { isUnread ? nil : read(file) }
    let own = files.filter { $0.archive == acceptance.archive }
    let newer = own.filter { $0.number > acceptance.replaced && $0.number != acceptance.accepted }
    let candidates = Set(own.candidates(for: acceptance.archive, ledger))
    let saved = newer.filter { candidates.contains($0) || $0.mark == .closed }
    // The user has closed the scene as it was after the offer was accepted.
    let isFinal = acceptance.isFinal == true || saved.contains { $0.mark == .closed }
    let accepted = own.first { $0.number == acceptance.accepted }
    let replaced = own.first { $0.number == acceptance.replaced }
    var operations = FileSteps(isFinal: isFinal)
    if isFinal, !saved.isEmpty {
      if let replaced, replaced.mark == .none, !acceptance.isOfCurrent { operations.steps.append(.mark(replaced, .offered)) }
      // Of an offer for some nodes, the rest was not taken.
      let isPart = ledger.offer(acceptance.accepted, of: acceptance.archive)?.paths.isEmpty == false
      if let accepted { operations.steps.append(isPart ? .mark(accepted, .pinned) : .remove(accepted)) }
      return operations
    }
    guard let replaced else { return operations }
    // The file written by accepting is redundant if it can be recreated from the offer and, for an offer of some nodes,
    // from the replaced state.
    let offered = accepted.flatMap(digest)
    let canBeMadeAgain = offered != nil && (acceptance.digest == offered || digest(replaced) != nil)
    let written = canBeMadeAgain ? acceptance.digest ?? offered : nil
    for generation in saved {
      if let written, digest(generation) == written {
        operations.steps.append(.remove(generation))
      } else if generation.mark != .offered {
        operations.steps.append(.mark(generation, .offered))
        operations.followers.append(generation.number)
      }
    }
    // The files that an interrupted earlier attempt had already marked.
    operations.followers += newer.filter { $0.mark == .offered && ledger.offer($0.number, of: $0.archive) == nil }.map(\.number)
    let mark: Generation.Mark = acceptance.isOfCurrent ? .offered : acceptance.wasClosed ? .closed : .none
    if replaced.mark == .offered || mark != .none, replaced.mark != mark { operations.steps.append(.mark(replaced, mark)) }
    return operations
  }

  /// Records that the file operations of a conclusion are done.
  mutating func finish(_ acceptance: LaunchLedger.Acceptance, _ operations: FileSteps) {
    ledger.acceptances.removeAll { $0.archive == acceptance.archive && $0.accepted == acceptance.accepted }
    if operations.isFinal {
      ledger.failedTrials[acceptance.archive] = nil
      closeOffer(acceptance.accepted, of: acceptance.archive)
      if acceptance.isOfCurrent { return }
      noteOffers(
        [LaunchLedger.OfferNote(archive: acceptance.archive, number: acceptance.replaced, reason: .replaced)], of: acceptance.archive)
    } else {
      ledger.failedTrials[acceptance.archive, default: 0] += 1
      // Its number may be given again.
      ledger.wanted[acceptance.archive] = nil
      if !acceptance.isOfCurrent { closeOffer(acceptance.replaced, of: acceptance.archive) }
      if acceptance.wasClosed { ledger.openScenes?.removeAll { $0 == acceptance.archive } }
      if ledger.offer(acceptance.accepted, of: acceptance.archive) == nil {
        ledger.offers.append(LaunchLedger.OfferNote(archive: acceptance.archive, number: acceptance.accepted, reason: .unknown))
      }
      noteOffers(
        operations.followers.map { LaunchLedger.OfferNote(archive: acceptance.archive, number: $0, reason: .followed) },
        of: acceptance.archive)
    }
  }

  /// Returns the file operations that make a state current again that an acquittal restores.
  ///
  /// What the app has saved without that state was never stable, and is no offer.
  func fileSteps(forAcquittalOf archive: ArchiveName, among files: [Generation]) -> FileSteps {
    var operations = FileSteps()
    let own = files.filter { $0.archive == archive }
    guard let offered = own.first(where: { $0.number == ledger.acquittals[archive] && $0.mark == .offered }) else { return operations }
    let saved: [Generation.Mark] = [.none, .pinned, .frozen]
    for generation in own where generation.number > offered.number && saved.contains(generation.mark) {
      operations.steps.append(.mark(generation, .declined))
    }
    operations.steps.append(.mark(offered, .none))
    return operations
  }

  /// Records that the file operations of an acquittal are done.
  mutating func finishAcquittal(of archive: ArchiveName) {
    if let number = ledger.acquittals.removeValue(forKey: archive) { closeOffer(number, of: archive) }
    ledger.fresh[archive] = nil
  }

  /// Records files that a limit removes.
  mutating func noteEnded(_ files: [Generation]) {
    let closed = Set(files.map { $0.marked(.none) })
    ledger.offers.removeAll { closed.contains(Generation($0.archive, $0.number)) }
    let known = Set(ledger.ended)
    ledger.ended += files.filter { !known.contains($0) }
  }
}

/// The file operations that follow from the conclusion about an accepted offer.
struct FileSteps: Equatable {
  /// An operation on one file.
  enum Step: Equatable {
    case remove(Generation)
    case mark(Generation, Generation.Mark)
  }

  /// Whether the accepted state stays; if not, the state that it replaced becomes current again.
  var isFinal = true
  /// The operations, in order.
  var steps: [Step] = []
  /// The numbers of the files that were saved after the offer was accepted, and that become offers.
  var followers: [UInt64] = []
}

extension LaunchLedger.Acceptance {
  /// Whether nothing newer than the offer was there: it has replaced no other state.
  var isOfCurrent: Bool { accepted == replaced }
}
