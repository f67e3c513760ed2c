package import FoundationValues
import Locking
import RestorationArchive

/// Scenes that were closed recoverably.
extension RestorationStore {
  /// Returns the last states of the closed scenes, the last closed first; with a time, without those too old at that time.
  package func closedStates(at time: Date? = nil) throws(StoreError) -> [StoredState] {
    let closed = try loadableFiles().closed.map { StoredState($0, reader.opened($0), StoreOffer($0, .closed)) }
    guard let time else { return closed }
    return closed.filter { !isTooOld($0.generation, at: time) }
  }

  /// Whether a closed scene can no longer be reopened; a time in the future is no age.
  private func isTooOld(_ closed: Generation, at time: Date) -> Bool {
    // Only the two ends of the file are read.
    guard let date = (try? StoredArchive.header(of: closed.fileName, in: folder))?.ageStart(at: time) else { return false }
    return time.timeIntervalSince(date) > Double(limits.closedSceneAge.limited.components.seconds)
  }

  /// Closes a scene with its last state, and hides its other files until the scene is reopened.
  ///
  /// - Throws: ``StoreError``; the scene is then as it was.
  func close(_ archive: ArchiveName, with bytes: [UInt8]) throws(StoreError) {
    try changingFiles { (writer) throws(StoreError) in try writer.close(archive, with: bytes) }
  }

  /// Makes the last state of a closed scene current again.
  ///
  /// - Throws: ``StoreError/noGeneration(_:)`` if it is not there any more, or if newer state of the scene was saved;
  ///   ``StoreError``.
  func reopen(_ generation: Generation) throws(StoreError) {
    try changingFiles { (writer) throws(StoreError) in try writer.reopen(generation) }
  }

  /// Puts a reopened scene that could not be opened back on the list.
  func closeAgain(_ generation: Generation) throws(StoreError) {
    try changingFiles { (writer) throws(StoreError) in try writer.closeAgain(generation) }
  }

  /// Removes the closed scenes that are too old both now and at the last save of the app, because the clock may be wrong.
  ///
  /// A file that cannot be removed stays closed, and is tried again at the next launch.
  func endClosed(at time: Date, savedAt lastSave: Date) {
    guard access == .writing, let closed = try? loadableFiles().closed else { return }
    for generation in closed {
      if isTooOld(generation, at: min(time, lastSave)) { try? decline(generation) }
    }
  }
}

/// Sessions and open scenes: the record of them, and what an app is shown of it.
extension RestorationStore {
  /// The greatest length of all recorded sessions together, in lengths of the longest.
  private static let longestSessions = 8

  /// Records the session that the last process has left; called before this one saves anything.
  ///
  /// Its files stay as they are: the first save of a process writes new ones, and no save changes a file.
  func recordSession(savedAt timestamp: Date?, by bundleVersion: String?) {
    guard access == .writing, let catalog = try? loadableFiles(), let ledger = launch.history?.ledger else { return }
    let files = catalog.byArchive
    // A scene that was disconnected belongs to no session, and its state stays as it is.
    let archives = catalog.archives.filter { $0 == .application || ledger.openScenes?.contains($0) ?? true }
    let current = archives.compactMap { archive in
      files[archive]?.candidates(for: archive, ledger).first.map { (archive, $0.number) }
    }
    let session = LaunchLedger.Session(
      timestamp: timestamp, bundleVersion: bundleVersion, generations: Dictionary(current) { first, _ in first })
    var sessions = ledger.sessions.filter { !$0.generations.isEmpty && $0.generations != session.generations }
    if !session.generations.isEmpty { sessions.insert(session, at: 0) }
    let listed = sessionsWithinLength(LaunchLedger.Session.listed(sessions, limits), files)
    if listed != ledger.sessions { launch.update { $0.ledger.sessions = listed } }
  }

  /// Returns the last sessions whose files together do not exceed the greatest length; files of several count once.
  private func sessionsWithinLength(
    _ sessions: [LaunchLedger.Session], _ files: [ArchiveName: GenerationCatalog]
  ) -> [LaunchLedger.Session] {
    guard sessions.count > 1 else { return sessions }
    var lengths: [Generation: Int] = [:]
    let generations = sessions.map { session in
      session.generations.compactMap { (archive, number) -> Generation? in
        guard let own = files[archive], let generation = own.generations.first(where: { $0.number == number }) else { return nil }
        if lengths[generation] == nil { lengths[generation] = reader.byteCount(of: generation, own) }
        return generation
      }
    }
    // Not of the current one: it may be short because everything was closed by accident.
    let longest = generations.map { $0.reduce(0) { $0 + (lengths[$1] ?? 0) } }.max() ?? 0
    var room = Self.longestSessions * longest
    let count = generations.prefix { own in
      for generation in own { room -= lengths.updateValue(0, forKey: generation) ?? 0 }
      return room >= 0
    }.count
    return Array(sessions.prefix(max(1, count)))
  }

  /// The sessions at the end of the last launches, and at the end of the last days, the last one first
  /// (``StoreLimits/sessions``, ``StoreLimits/sessionDays``), except one that is as the current state is.
  ///
  /// A scene that was closed for good is in none of them.
  ///
  /// - Throws: ``StoreError``.
  /// - Complexity: O(n) in the bytes of their files, which are read.
  public func earlierSessions() throws(StoreError) -> [StoredSession] {
    let ledger = try launch.knownHistory().ledger
    let files = try loadableFiles().byArchive
    var opened: [Generation: StoredState] = [:]
    return ledger.sessions.compactMap { session in
      let archives = session.generations.keys.sorted { $0.fileName < $1.fileName }
      let states = archives.compactMap { archive -> StoredState? in
        guard let own = files[archive], let generation = own.generations.first(where: { $0.number == session.generations[archive] }),
          generation.mark != .damaged, generation.mark != .declined
        else { return nil }
        if let known = opened[generation] { return known }
        let candidates = own.candidates(for: archive, ledger)
        let isCurrent = candidates.first == generation
        let state = StoredState(
          generation, isCurrent: isCurrent, ledger.isUnread(generation, among: candidates) ? nil : reader.opened(generation),
          isCurrent ? nil : StoreOffer(generation, .session))
        opened[generation] = state
        return state
      }
      guard states.contains(where: { $0.offer != nil }) else { return nil }
      return StoredSession(timestamp: session.timestamp, bundleVersion: session.bundleVersion, states: states)
    }
  }

  /// The session that launches have set aside: the states of the app and of its scenes that are offered because launches
  /// died, or because of safe mode; nil without any.
  ///
  /// Of an archive that was set aside more than once it has the newest state; the others are offers by themselves.
  ///
  /// - Throws: ``StoreError``.
  public func offeredSession() throws(StoreError) -> StoredSession? {
    var states: [StoredState] = []
    let ledger = try launch.knownHistory().ledger
    let files = try loadableFiles()
    for archive in files.archives.sorted(by: { $0.fileName < $1.fileName }) {
      guard try offers(of: archive).contains(where: { $0.isSetAside }),
        let newest = try storedStates(of: archive).first(where: { $0.offer?.isSetAside == true })
      else { continue }
      // A scene that was put away before, and not saved since, belongs to no session: it is offered when it is opened.
      let isOpen = archive == .application || ledger.openScenes?.contains(archive) ?? true
      if isOpen || files.candidates(for: archive, ledger).first?.number != newest.generation.number { states.append(newest) }
    }
    guard let last = states.max(by: { ($0.timestamp ?? .distantPast) < ($1.timestamp ?? .distantPast) }) else { return nil }
    return StoredSession(timestamp: last.timestamp, bundleVersion: last.bundleVersion, states: states)
  }

  // MARK: Open scenes

  /// The saved scenes that are open, or were when the app last ran, in the order in which they were opened.
  ///
  /// - Throws: ``StoreError/system(_:)``.
  package func openScenes() throws(StoreError) -> [ArchiveName] {
    let saved = try archives()
    let history = try launch.knownHistory()
    guard let open = history.ledger.openScenes else { return saved.filter { $0.scene != nil } }
    let names = Set(saved).subtracting(history.leaving)
    return open.filter { names.contains($0) }
  }

  /// Records that a scene is open, or that it is being put away; the record is durable with the next save.
  ///
  /// One that is put away stays on the list until its last save is on the disk.
  ///
  /// - Returns: Whether it was on the list; true before the launch has begun.
  @discardableResult
  func noteScene(_ archive: ArchiveName, isOpen: Bool) -> Bool {
    // Scenes that were saved before there was a record count as open; while they cannot be listed, there is none.
    let known = launch.history?.ledger.openScenes == nil ? (try? reader.catalog())?.archives.filter { $0.scene != nil } : nil
    return launch.update { history in
      guard let open = history.ledger.openScenes ?? known else { return true }
      let isListed = open.contains(archive)
      history.ledger.openScenes = isOpen && !isListed ? open + [archive] : open
      if isOpen { history.leaving.remove(archive) } else if isListed { history.leaving.insert(archive) }
      return isListed
    } ?? true
  }
}

extension StoreOffer {
  /// Whether launches have set the state aside.
  fileprivate var isSetAside: Bool { reason == .deaths || reason == .safeMode }
}
