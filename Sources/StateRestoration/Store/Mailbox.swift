import FoundationValues
import Locking
import RestorationArchive

/// What is to be done with an archive: its newest state that is not on disk, or its removal.
///
/// Until it is on disk, a state waits in one place: in an app that waits for its previous state
/// (``RestorableTree/deferredPreservation``), or in the store's mailbox of its archive. Only the snapshot and its losses
/// cross from the actor that owns the objects.
struct Mail: Sendable {
  /// The state to write; nil if the archive is only removed.
  var snapshot: Snapshot?
  /// Whether the files saved before are removed first.
  var removesEarlier = false
  /// The nodes whose earlier saved state is missing from the snapshot without having been removed on purpose.
  var losses: Set<RestorationPath> = []
  /// The quarantined nodes whose objects the user has changed, so that the snapshot has the objects' state.
  var quarantineChanges: Set<RestorationPath> = []
  /// The current time.
  var time: Date?
  /// Whether an attempt has not succeeded, so that the next one needs a reason.
  var isHeld = false
  /// Whether it has waited for the storage, whose files may therefore be newer.
  var wasDeferred = false
  /// The number of the group: the mail that must be delivered together, because it was captured in one turn.
  var group: UInt64?

  /// The removal of an archive.
  static let removal = Mail(removesEarlier: true)

  /// Returns this mail with the unfinished work of the mail that it replaces.
  ///
  /// The losses of the replaced state are added, so that the file with the lost state is pinned. A removal cancels all
  /// earlier work.
  func following(_ earlier: Mail?) -> Mail {
    var mail = self
    mail.group = group ?? earlier?.group
    guard let earlier, !removesEarlier else { return mail }
    mail.removesEarlier = earlier.removesEarlier
    mail.wasDeferred = wasDeferred || earlier.wasDeferred
    mail.losses.formUnion(earlier.losses)
    mail.quarantineChanges.formUnion(earlier.quarantineChanges)
    return mail
  }
}

extension Preservation {
  /// Returns the work for a store; nil if there is none yet.
  func mail(at time: Date?) -> Mail? {
    if isDeferred { return nil }
    switch decision {
    case .save:
      return snapshot.map { Mail(snapshot: $0, losses: report.losses, quarantineChanges: report.quarantineChanges, time: time) }
    case .keepPrevious: return nil
    case .forget: return .removal
    }
  }
}

/// Mail that is being delivered.
struct Parcel: Sendable {
  let archive: ArchiveName
  var mail: Mail
  /// The number of the newest mail that it includes.
  let number: UInt64
  /// Whether the state is no archive, and cannot be saved.
  var isUnusable = false
  /// The error of a state that is no archive, if the files before it are removed all the same.
  var dropped: StoreError?
  /// The outcome, once there is one.
  var result: Result<SaveOutcome, StoreError>?

  /// Whether the mail must be delivered again.
  var comesBack: Bool {
    switch result {
    case .success(let outcome): outcome == .deferred
    case .failure(.readingOnly): false
    case .failure, nil: !isUnusable
    }
  }
}

/// The mailboxes of a store, one for each archive: each holds the newest state that is not on disk.
///
/// A newer state replaces an older one, and a removal replaces both. Mail is taken out while the store is locked, so that
/// older mail never overwrites newer mail. Undelivered mail comes back, unless newer mail has come. Mail that was posted
/// together is taken out together.
final class Mailboxes: Sendable {
  private struct Mailbox {
    var mail: Mail?
    /// The number of the first mail since the last that was taken.
    var waitingSince: UInt64 = 0
    /// The number of the newest mail.
    var newest: UInt64 = 0
    /// The number of the newest mail that was discarded, and does not come back.
    var discarded: UInt64 = 0
    /// The number of the last mail with an outcome, and the outcome.
    var done: (number: UInt64, result: Result<SaveOutcome, StoreError>)?
    /// Whether the mail was taken out, perhaps not for the first time, and has no outcome yet.
    var isInDelivery = false

    /// Whether the newest mail has no outcome yet, or is being delivered again.
    var isUnfinished: Bool { isInDelivery || (done?.number ?? 0) < newest }
    var isUndelivered: Bool { mail != nil || isUnfinished }
  }

  private struct Waiter {
    let archive: ArchiveName
    let number: UInt64
    let race: Race<SaveOutcome>
  }

  private struct State {
    var boxes: [ArchiveName: Mailbox] = [:]
    var waiters: [Waiter] = []
    var lastNumber: UInt64 = 0
    var lastError: StoreError?
    /// Whether a thread of the store delivers the mail.
    var isWriting = false

    /// The archive that has waited longest.
    var next: ArchiveName? {
      boxes.lazy.filter { $0.value.mail?.isHeld == false }.min { $0.value.waitingSince < $1.value.waitingSince }?.key
    }

    func result(of number: UInt64, _ archive: ArchiveName) -> Result<SaveOutcome, StoreError>? {
      boxes[archive]?.done.flatMap { $0.number >= number ? $0.result : nil }
    }

    mutating func put(_ mail: Mail, into archive: ArchiveName, number: UInt64) {
      var box = boxes[archive] ?? Mailbox()
      if box.mail == nil { box.waitingSince = number }
      box.mail = mail.following(box.mail)
      box.newest = number
      boxes[archive] = box
    }

    /// Makes one group of the mail of some archives, and of all mail in a group with it.
    mutating func join(_ archives: [ArchiveName]) {
      guard archives.count > 1 else { return }
      let groups = Set(archives.compactMap { boxes[$0]?.mail?.group })
      let members = boxes.filter { box in box.value.mail?.group.map { groups.contains($0) } ?? false }.keys + archives
      lastNumber += 1
      for archive in members { boxes[archive]?.mail?.group = lastNumber }
    }

    /// Makes one group of all mail if some of it is the removal of a scene.
    ///
    /// What has moved from the scene to another one is saved with its removal, or neither is. Failed saves do not go with it:
    /// they would hold it up.
    mutating func joinRemovals() {
      guard boxes.values.contains(where: { $0.mail.map { $0.snapshot == nil } ?? false }) else { return }
      join(boxes.filter { $0.value.mail.map { !$0.isHeld || $0.snapshot == nil } ?? false }.map(\.key))
    }

    mutating func takeWaiters(_ isReady: (Waiter) -> Bool) -> [Race<SaveOutcome>] {
      defer { waiters.removeAll(where: isReady) }
      return waiters.filter(isReady).map(\.race)
    }
  }

  private let state = Lock(State())

  /// The error of the last failed save.
  var lastError: StoreError? { state.withLock { $0.lastError } }

  /// Puts mail into the mailbox of an archive, and returns its number.
  func post(_ mail: Mail, to archive: ArchiveName) -> UInt64 { post([(archive, mail)]) }

  /// Puts mail into the mailboxes of some archives, to be delivered together; returns its number.
  @discardableResult
  func post(_ mail: [(archive: ArchiveName, mail: Mail)]) -> UInt64 {
    state.withLock { state in
      state.lastNumber += 1
      let number = state.lastNumber
      for (archive, mail) in mail { state.put(mail, into: archive, number: number) }
      state.join(mail.map(\.archive))
      state.joinRemovals()
      return number
    }
  }

  /// Takes the mail of an archive out, and the mail in a group with it, ordered by name.
  func take(_ archive: ArchiveName) -> [Parcel] {
    state.withLock { state in
      guard let mail = state.boxes[archive]?.mail else { return [] }
      let others = state.boxes.filter { mail.group != nil && $0.value.mail?.group == mail.group && $0.key != archive }.keys
      return ([archive] + others).sorted { $0.fileName < $1.fileName }.compactMap { archive in
        guard let box = state.boxes[archive], let mail = box.mail else { return nil }
        state.boxes[archive]?.mail = nil
        state.boxes[archive]?.isInDelivery = true
        return Parcel(archive: archive, mail: mail, number: box.newest)
      }
    }
  }

  /// Records the outcomes of mail, and puts undelivered mail back; returns the callers that wait for each.
  func finish(_ parcels: [Parcel]) -> [(result: Result<SaveOutcome, StoreError>, waiters: [Race<SaveOutcome>])] {
    state.withLock { state in
      var back: [ArchiveName] = []
      let finished = parcels.compactMap { parcel -> (result: Result<SaveOutcome, StoreError>, waiters: [Race<SaveOutcome>])? in
        state.boxes[parcel.archive]?.isInDelivery = false
        guard var box = state.boxes[parcel.archive], let result = parcel.result else { return nil }
        if parcel.comesBack, parcel.number > box.discarded {
          if box.mail == nil { box.waitingSince = parcel.number }
          box.mail = box.mail?.following(parcel.mail) ?? parcel.mail
          back.append(parcel.archive)
        }
        box.done = (parcel.number, result)
        state.boxes[parcel.archive] = box
        if case .failure(let error) = result { state.lastError = error }
        return (result, state.takeWaiters { $0.archive == parcel.archive && $0.number <= parcel.number })
      }
      state.join(back)
      return finished
    }
  }

  /// Discards the mail of all archives, and returns those who wait for it.
  func discardAll() -> [Race<SaveOutcome>] {
    state.withLock { state in
      for archive in state.boxes.keys {
        guard let number = state.boxes[archive]?.newest else { continue }
        state.boxes[archive]?.mail = nil
        state.boxes[archive]?.discarded = number
        state.boxes[archive]?.done = (number, .success(.forgotten))
      }
      return state.takeWaiters { _ in true }
    }
  }

  /// Discards the mail of an archive after a failure that was reported: it is not delivered later.
  func withdraw(_ archive: ArchiveName) {
    state.withLock { state in
      guard let number = state.boxes[archive]?.newest else { return }
      state.boxes[archive]?.mail = nil
      state.boxes[archive]?.discarded = number
    }
  }

  // MARK: The next to write

  /// Lets undelivered mail be tried again.
  func retry() {
    state.withLock { state in
      for archive in state.boxes.keys { state.boxes[archive]?.mail?.isHeld = false }
    }
  }

  /// Whether a thread must be started to deliver the mail; it then counts as started.
  func startsWriting() -> Bool {
    state.withLock { state in
      guard !state.isWriting, state.next != nil else { return false }
      state.isWriting = true
      return true
    }
  }

  /// The archive to write next; nil if none waits, which ends the writing if this is asked by the thread for it.
  func next(endsWriting: Bool = false) -> ArchiveName? {
    state.withLock { state in
      let next = state.next
      if next == nil, endsWriting { state.isWriting = false }
      return next
    }
  }

  /// The archives with mail, ordered by name.
  var archives: [ArchiveName] {
    state.withLock { $0.boxes.filter { $0.value.mail != nil }.keys.sorted { $0.fileName < $1.fileName } }
  }

  // MARK: Outcomes

  /// The number of the newest mail of an archive, delivered or not.
  func newest(of archive: ArchiveName) -> UInt64? { state.withLock { $0.boxes[archive]?.newest } }

  /// Whether the newest mail of an archive has no outcome yet, or is being delivered again.
  func isUnfinished(_ archive: ArchiveName) -> Bool { state.withLock { $0.boxes[archive]?.isUnfinished ?? false } }

  /// Whether mail of an archive was not delivered, or is being delivered.
  func isUndelivered(_ archive: ArchiveName) -> Bool { state.withLock { $0.boxes[archive]?.isUndelivered ?? false } }

  /// The archives with mail that was not delivered, or that is being delivered, ordered by name.
  var undelivered: [ArchiveName] {
    let names = state.withLock { state in state.boxes.filter { $0.value.isUndelivered }.keys }
    return names.sorted { $0.fileName < $1.fileName }
  }

  /// The error of the newest mail of an archive if that is to be delivered again.
  func failure(of archive: ArchiveName, ofRemovals: Bool = true) -> StoreError? {
    state.withLock { state in
      guard let box = state.boxes[archive], let mail = box.mail, ofRemovals || mail.snapshot != nil else { return nil }
      guard case .failure(let error)? = state.result(of: box.newest, archive) else { return nil }
      return error
    }
  }

  /// The outcome of mail, or of newer mail of the same archive; nil if there is none yet.
  func result(of number: UInt64, _ archive: ArchiveName) -> Result<SaveOutcome, StoreError>? {
    state.withLock { $0.result(of: number, archive) }
  }

  /// Waits for the outcome of mail, or of newer mail of the same archive, or until `sleep` returns.
  func outcome(
    of number: UInt64, _ archive: ArchiveName, orAfter sleep: @escaping @Sendable () async throws -> Void
  ) async -> SaveOutcome {
    let race = Race<SaveOutcome>()
    let early = state.withLock { state -> SaveOutcome? in
      // A failure that is being tried again is none yet.
      let isTriedAgain = state.boxes[archive].map { $0.isInDelivery || $0.mail?.isHeld == false } ?? false
      if let result = state.result(of: number, archive), !isTriedAgain || (try? result.get()) != nil { return SaveOutcome(result) }
      state.waiters.append(Waiter(archive: archive, number: number, race: race))
      return nil
    }
    if let early { return early }
    let timer = Task.detached {
      // A sleep that throws was canceled, because the outcome has arrived in time.
      if (try? await sleep()) != nil { race.finish(.expired) }
    }
    defer { timer.cancel() }
    return await race.outcome()
  }
}

/// The outcome of a save, or of waiting for it.
public enum SaveOutcome: String, Sendable {
  /// The state is on disk.
  case saved
  /// The content was already on disk, or the previous state is to be kept.
  case unchanged
  /// The storage is not accessible, or the previous state is not available yet; the state to save is kept in memory.
  case deferred
  /// The saved state was removed, as the app requested.
  case forgotten
  /// The time limit expired. The save continues; until it completes, the previous state is on disk, unless it is being
  /// removed.
  case expired
  /// The save failed with ``RestorationStore/lastSaveError``.
  case failed

  init(_ result: Result<SaveOutcome, StoreError>) { self = (try? result.get()) ?? .failed }
}

/// Delivers the first of several outcomes to a waiter.
final class Race<Outcome: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Outcome, Never>)
    case decided(Outcome)
  }

  private let state = Lock(State.open)

  /// Sets the outcome; only the first call has an effect.
  func finish(_ outcome: Outcome) {
    let waiter = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      if case .decided = state { return nil }
      defer { state = .decided(outcome) }
      return if case .awaited(let waiter) = state { waiter } else { nil }
    }
    waiter?.resume(returning: outcome)
  }

  /// Waits for the first outcome; only one task may wait.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      let decided = state.withLock { state -> Outcome? in
        if case .decided(let outcome) = state { return outcome }
        state = .awaited(continuation)
        return nil
      }
      if let decided { continuation.resume(returning: decided) }
    }
  }
}
