import FoundationValues
import Locking
import RestorationArchive

/// Scenes that were closed recoverably: the last state of each is a file of its own, with the mark `closed`.
///
/// The file is written in one step, and hides all files of the scene that were saved before. So at every moment the scene is
/// either open or closed.
extension RestorationStore {
  /// Returns the last states of the closed scenes, the last closed first; with a time, without those too old at that time.
  func closedStates(at time: Date? = nil) throws(StoreError) -> [StoredState] {
    let closed = try loadableFiles().closed.map {
      StoredState($0, opened($0), StoreOffer(of: $0, .closed))
    }
    guard let time else { return closed }
    return closed.filter { !isTooOld($0.timestamp, at: time) }
  }

  /// Whether a scene that was closed at a time can no longer be reopened; a time in the future is no age.
  private func isTooOld(_ date: Date?, at time: Date) -> Bool {
    guard let date else { return false }
    return time.timeIntervalSince(date) > Double(limits.closedSceneAge.limited.components.seconds)
  }

  /// Closes a scene with its last state, and hides its other files until the scene is reopened.
  ///
  /// - Throws: ``StoreError``; the scene is then as it was.
  func close(_ archive: ArchiveName, with bytes: [UInt8]) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      // First, because files that are to be kept apart are known by their marks alone.
      try mark(archive, where: { _ in true }, &state)
      noteOffers(of: archive, &state)
      guard let next = try numberedCatalog(&state).nextNumber else { throw .noGeneration(.max) }
      // No number that a save on record has named.
      let number = max(next, state.lastNumber + 1)
      state.forgetCurrent(archive)
      let closed = Generation(archive, number, .closed)
      do throws(StoreError) {
        try replace(closed.fileName, with: bytes, &state)
      } catch {
        // It may exist all the same, and the scene stays open.
        try? folder.remove(closed.fileName)
        throw error
      }
      (state[archive].seen, state[archive].pinnedFor) = (nil, [:])
      launch.update { $0.disconnect(archive) }
      // A failure is tried again when something is stable, and at the next launch.
      try? carryOutConclusions(&state)
      pruneClosed(&state)
    }
  }

  /// Makes the last state of a closed scene current again.
  ///
  /// - Throws: ``StoreError/noGeneration(_:)`` if it is not there any more, or if newer state of the scene was saved;
  ///   ``StoreError``.
  func reopen(_ generation: Generation) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      let own = try catalog().generations(of: generation.archive)
      guard own.contains(generation), try catalog().candidates(for: generation.archive, ledger(state)).isEmpty,
        own.first(where: { $0.mark == .closed }) == generation
      else { throw .noGeneration(generation.number) }
      // First, so that a scene that is no longer closed is among the open ones, whenever the process dies.
      try changeHistory(&state) { (history) throws(StoreError) in
        if let open = history.ledger.openScenes, !open.contains(generation.archive) {
          history.ledger.openScenes?.append(generation.archive)
        }
      }
      try system { () throws(FileSystemError) in
        try folder.mark(generation, .none)
        try folder.flush()
      }
    }
  }

  /// Puts a reopened scene that could not be opened back on the list.
  func closeAgain(_ generation: Generation) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      let open = generation.marked(.none)
      guard try catalog().generations(of: generation.archive).first == open else { return }
      state.forgetCurrent(generation.archive)
      try system { () throws(FileSystemError) in
        try folder.mark(open, .closed)
        try folder.flush()
      }
      launch.update { $0.disconnect(generation.archive) }
    }
  }

  /// Removes the closed scenes that are too old both now and at the last save of the app, because the clock may be wrong.
  ///
  /// A file that cannot be removed stays closed, and is tried again at the next launch.
  func endClosed(at time: Date, savedAt lastSave: Date) {
    guard access == .writing, let closed = try? loadableFiles().closed else { return }
    for generation in closed {
      // Only the two ends of the file are read.
      let header = try? StoredArchive.header(of: generation.fileName, in: folder)
      if isTooOld(header?.timestamp, at: min(time, lastSave)) { try? endClosed(generation) }
    }
  }

  /// Removes a closed scene with all its files.
  func endClosed(_ generation: Generation) throws(StoreError) {
    try withState { (state) throws(StoreError) in
      try lock(&state)
      try remove(closed: generation, &state)
    }
  }

  /// Removes the closed scenes beyond the limits; one whose files cannot be removed is tried again with the next that is
  /// closed.
  private func pruneClosed(_ state: inout State) {
    guard let catalog = try? catalog() else { return }
    let files = catalog.byArchive
    var room = limits.closedScenesByteCount
    for (place, generation) in catalog.closed.enumerated() {
      if let own = files[generation.archive] {
        for file in [generation] + own.files(before: generation) { room -= byteCount(of: file, own) }
      }
      if place >= max(1, limits.closedScenes) || place > 0 && room < 0 { try? remove(closed: generation, &state) }
    }
  }

  /// Removes the files of a closed scene, and last the one that keeps the others from being restored.
  private func remove(closed generation: Generation, _ state: inout State) throws(StoreError) {
    let catalog = try catalog()
    guard catalog.closed.contains(generation) else { throw .noGeneration(generation.number) }
    try system { () throws(FileSystemError) in
      for file in catalog.files(before: generation) { try removeFiles(of: file, catalog) }
      try folder.flush()
      try folder.remove(generation.fileName)
      try folder.flush()
    }
    if try self.catalog().generations(of: generation.archive).isEmpty {
      try? folder.remove(Confirmation.fileName(for: generation.archive))
      try changeHistory(&state) { (history) throws(StoreError) in history.forget(generation.archive) }
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
        if lengths[generation] == nil { lengths[generation] = byteCount(of: generation, own) }
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

  /// Returns the number of bytes in the files of a generation, its links included.
  func byteCount(of generation: Generation, _ catalog: GenerationCatalog) -> Int {
    let names = [generation.fileName] + catalog.links(of: generation).map(\.fileName)
    return names.reduce(0) { $0 + ((try? folder.system.status(at: folder.path(of: $1)).byteCount) ?? 0) }
  }

  /// The sessions at the end of the last launches, and at the end of the last days, the last one first
  /// (``StoreLimits/sessions``, ``StoreLimits/sessionDays``), except one that is as the current state is.
  ///
  /// A scene that was closed for good is in none of them.
  ///
  /// - Throws: ``StoreError``.
  /// - Complexity: O(n) in the bytes of their files, which are read.
  public func earlierSessions() throws(StoreError) -> [StoredSession] {
    let ledger = try knownHistory().ledger
    let files = try remainingFiles().byArchive
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
          generation, isCurrent: isCurrent, ledger.isUnread(generation, among: candidates) ? nil : self.opened(generation),
          isCurrent ? nil : StoreOffer(of: generation, .session))
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
  /// - Throws: ``StoreError``.
  public func offeredSession() throws(StoreError) -> StoredSession? {
    var states: [StoredState] = []
    for archive in try archives().sorted(by: { $0.fileName < $1.fileName }) {
      let isSetAside = try offers(of: archive).contains { $0.isSetAside }
      if isSetAside { states += try storedStates(of: archive).filter { $0.offer?.isSetAside == true } }
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
    guard let open = try knownHistory().ledger.openScenes else { return saved.filter { $0.scene != nil } }
    let names = Set(saved)
    return open.filter { names.contains($0) }
  }

  /// Records that a scene is open, or not any more; the record is durable with the next save.
  ///
  /// - Returns: Its place among the open scenes before; `place` puts one that stays open after all back there.
  @discardableResult
  func noteScene(_ archive: ArchiveName, isOpen: Bool, at place: Int? = nil) -> Int? {
    // Scenes that were saved before there was a record count as open.
    let known = launch.history?.ledger.openScenes == nil ? ((try? catalog())?.archives.filter { $0.scene != nil } ?? []) : []
    return launch.update { history in
      var open = history.ledger.openScenes ?? known
      let former = open.firstIndex(of: archive)
      if !isOpen { open.removeAll { $0 == archive } } else if former == nil { open.insert(archive, at: min(place ?? .max, open.count)) }
      history.ledger.openScenes = open
      return former
    } ?? nil
  }
}

extension StoreOffer {
  /// Whether launches have set the state aside.
  fileprivate var isSetAside: Bool { reason == .deaths || reason == .safeMode }
}
