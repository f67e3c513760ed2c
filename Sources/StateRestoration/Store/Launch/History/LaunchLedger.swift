import FoundationValues
import RestorationArchive

/// The persistent launch data of a store: deaths, quarantined nodes, offers.
///
/// It is stored as an archive with application state only, and replaced atomically like other archives.
struct LaunchLedger: Equatable {
  /// What may have killed the process, or was running when it ended: a callback of a node, or the reading of an archive.
  struct Suspect: Equatable {
    var archive: ArchiveName
    /// The node in whose callback the process died; nil for the archive as a whole.
    var path: RestorationPath?
    /// The type of the node or, without one, the path of its parent.
    var type: String?
    /// The digest of the node's state.
    var digest: UInt64?
    /// The number of its deaths.
    var deaths = 1
    /// The callback of its last death.
    var phase = ProgressRecord.Phase.none
    /// Whether that was by a recorded fault, or by a signal that the app did not answer.
    var isFault = false
    /// Whether the archive has been stable since, so that no other death has the same cause.
    var isSettled = false
  }

  /// An archive that is offered instead of restored until the user answers.
  struct SetAside: Equatable {
    /// The generation that is offered.
    var number: UInt64
    /// The last generation that is not restored; later ones are.
    var last: UInt64
    /// Whether the process died while reading it.
    var isUnread = false
  }

  /// A node whose restoration killed the process.
  struct Quarantined: Equatable {
    var archive: ArchiveName
    var path: RestorationPath
    /// The digest of the node's state at the death; a different state at the path is restored.
    ///
    /// Nil until a launch has left the node out, if it was never called itself.
    var digest: UInt64?
    /// The type of the node or, without one, the path of its parent.
    var type: String?
    /// The builds that died; another build tries the node again.
    var builds: Set<String> = []
    /// The number of stable launches without the node since the last death.
    var goodLaunches = 0
    /// The number of retries that died.
    var failedRetries = 0
    /// Whether it is left out because of its type alone.
    var isMember = false
    /// Whether the streak of bad launches that it comes from goes on.
    var isOfStreak = false
  }

  /// The details of an open offer; the file's mark makes it an offer.
  struct OfferNote: Equatable {
    var archive: ArchiveName
    var number: UInt64
    var reason: StoreOffer.Reason
    var suspects: [RestorationPath] = []
    /// The nodes that the offer is limited to; empty for the whole state.
    var paths: [RestorationPath] = []
    /// Whether the process died while reading it.
    var isUnread = false
    /// The time of the last save or confirmation of a state that was declined for now; nil if unknown.
    var savedAt: Date?
  }

  /// An accepted offer that is not stable yet.
  struct Acceptance: Equatable {
    var archive: ArchiveName
    /// The generation that was accepted.
    var accepted: UInt64
    /// The generation that was current before.
    var replaced: UInt64
    /// The content digest of the file written by accepting; nil if unknown.
    ///
    /// The content is the offer's or, for an offer of some nodes, the replaced state with these nodes from the offer.
    var digest: ContentDigest?
    /// The launch that accepted the offer; nil if it was accepted while no app was running.
    var launch: UInt64?
    /// Whether the replaced state is that of a scene that was closed until then.
    var wasClosed = false
    /// Whether the accepted state was found stable or not, by a launch that may not have carried that out; nil before.
    var isFinal: Bool?
  }

  static let fileName = "ledger.rsta"
  /// The maximum length of a ledger; it contains only a few paths.
  static let maximumByteCount = 1 << 24
  /// The name for the last unreadable ledger: damaged, of a later version, or refused by the system.
  static let unreadableFileName = "ledger.unreadable.rsta"

  /// Whether any launch with this store has begun.
  var hasLaunched = false
  /// The number of bad launches in a row: those that died while a restored archive was not stable.
  var streak = 0
  /// What may have killed the process, the most recent last.
  var suspects: [Suspect] = []
  /// The archives that are offered instead of restored.
  var setAside: [ArchiveName: SetAside] = [:]
  /// The first generation of each archive that a launch without its state has saved, and that was never stable.
  var fresh: [ArchiveName: UInt64] = [:]
  /// The archives that were acquitted, and were not stable since.
  var acquitted: Set<ArchiveName> = []
  /// The number of times in a row that an accepted offer of an archive has ended the process.
  var failedTrials: [ArchiveName: Int] = [:]
  /// The generations that the user has asked for, and that no policy refuses until they are stable.
  var wanted: [ArchiveName: UInt64] = [:]
  /// The generations that an acquittal makes current again.
  var acquittals: [ArchiveName: UInt64] = [:]
  var quarantined: [Quarantined] = []
  var offers: [OfferNote] = []
  var acceptances: [Acceptance] = []
  /// The files that a limit has removed, until a launch that reported them is stable.
  var ended: [Generation] = []
  /// The last launch whose end was judged, so that it counts once; 0 if there was none.
  var judged: UInt64 = 0
  /// The scenes that are open, or were when the app last ran, in the order in which they were opened; nil without a record.
  var openScenes: [ArchiveName]?
  /// The sessions of earlier launches, the last one first.
  var sessions: [Session] = []
  /// The last launches, the most recent last.
  var launches: [LaunchNote] = []
  /// What this build does not understand, and a newer one has written: values by key, and entries of the lists.
  private var unknown = ArchiveDictionary()

  init() {}

  /// Returns the details of an offer.
  func offer(_ number: UInt64, of archive: ArchiveName) -> OfferNote? {
    offers.first { $0.archive == archive && $0.number == number }
  }

  /// Whether the process died while it read a file of an archive, given those that may be restored.
  func isUnread(_ generation: Generation, among candidates: [Generation]) -> Bool {
    if offer(generation.number, of: generation.archive)?.isUnread == true { return true }
    guard let aside = setAside[generation.archive], aside.isUnread else { return false }
    return candidates.first { $0.number <= aside.number } == generation
  }

  /// Puts back what was known of an archive at an earlier moment of this launch.
  mutating func putBack(_ archive: ArchiveName, from before: LaunchLedger) {
    let sessions = sessions
    forget(archive)
    self.sessions = sessions
    streak = before.streak
    suspects += before.suspects.filter { $0.archive == archive }
    (setAside[archive], fresh[archive]) = (before.setAside[archive], before.fresh[archive])
    (acquittals[archive], failedTrials[archive]) = (before.acquittals[archive], before.failedTrials[archive])
    wanted[archive] = before.wanted[archive]
    if before.acquitted.contains(archive) { acquitted.insert(archive) }
    quarantined += before.quarantined.filter { $0.archive == archive }
    offers += before.offers.filter { $0.archive == archive }
    acceptances += before.acceptances.filter { $0.archive == archive }
    ended += before.ended.filter { $0.archive == archive }
  }

  /// Removes everything about an archive.
  mutating func forget(_ archive: ArchiveName) {
    suspects.removeAll { $0.archive == archive }
    (setAside[archive], fresh[archive], acquittals[archive], failedTrials[archive]) = (nil, nil, nil, nil)
    for index in sessions.indices { sessions[index].generations[archive] = nil }
    wanted[archive] = nil
    acquitted.remove(archive)
    quarantined.removeAll { $0.archive == archive }
    offers.removeAll { $0.archive == archive }
    acceptances.removeAll { $0.archive == archive }
    ended.removeAll { $0.archive == archive }
  }
}

// MARK: Bytes

extension LaunchLedger {
  func encoded() throws(ArchiveError) -> [UInt8] {
    var state = unknown
    state["hasLaunched"] = .bool(hasLaunched)
    if streak != 0 { state["streak"] = .integer(streak) }
    Self.put(suspects.map(Self.value), "suspects", &state)
    Self.put(archiveEntries, "archives", &state)
    Self.put(launches.map(\.value), "launches", &state)
    Self.put(quarantined.map(Self.value), "quarantined", &state)
    Self.put(offers.map(Self.value), "offers", &state)
    Self.put(acceptances.map(Self.value), "acceptances", &state)
    if let openScenes { state["openScenes"] = .array(openScenes.map { .string($0.fileName) }) }
    Self.put(sessions.map(\.value), "earlierSessions", &state)
    if judged != 0 { state["judged"] = Self.number(judged) }
    Self.put(ended.map { ["archive": .string($0.archive.fileName), "file": .string($0.fileName)] }, "ended", &state)
    return [UInt8](try ArchiveTree(applicationState: state).encoded())
  }

  private static func put(_ entries: [ArchiveDictionary], _ key: String, _ state: inout ArchiveDictionary) {
    var values: [ArchiveValue] = entries.map { .dictionary($0) }
    if case .array(let unknown) = state[key] { values += unknown }
    if !values.isEmpty { state[key] = .array(values) }
  }

  private static func value(_ suspect: Suspect) -> ArchiveDictionary {
    ArchiveDictionary(present: [
      "archive": .string(suspect.archive.fileName), "path": text(suspect.path?.description), "type": text(suspect.type),
      "digest": number(suspect.digest), "deaths": .integer(suspect.deaths), "phase": .integer(Int(suspect.phase.rawValue)),
      "isFault": .bool(suspect.isFault), "isSettled": .bool(suspect.isSettled),
    ])
  }

  /// What is known of each archive as a whole.
  private var archiveEntries: [ArchiveDictionary] {
    let archives = Set(setAside.keys).union(fresh.keys).union(acquittals.keys).union(failedTrials.keys).union(acquitted).union(wanted.keys)
    return archives.sorted { $0.fileName < $1.fileName }.map { archive in
      let aside = setAside[archive]
      return ArchiveDictionary(present: [
        "archive": .string(archive.fileName), "isAcquitted": .bool(acquitted.contains(archive)),
        "setAside": Self.number(aside?.number), "last": Self.number(aside?.last), "isUnread": aside.map { .bool($0.isUnread) },
        "fresh": Self.number(fresh[archive]), "wanted": Self.number(wanted[archive]),
        "failedTrials": failedTrials[archive].map { .integer($0) }, "acquittal": Self.number(acquittals[archive]),
      ])
    }
  }

  private static func value(_ entry: Quarantined) -> ArchiveDictionary {
    ArchiveDictionary(present: [
      "archive": .string(entry.archive.fileName), "path": .string(entry.path.description), "goodLaunches": .integer(entry.goodLaunches),
      "failedRetries": .integer(entry.failedRetries), "builds": .array(entry.builds.sorted().map { .string($0) }),
      "isMember": .bool(entry.isMember), "isOfStreak": .bool(entry.isOfStreak), "digest": number(entry.digest), "type": text(entry.type),
    ])
  }

  private static func value(_ note: OfferNote) -> ArchiveDictionary {
    ArchiveDictionary(present: [
      "archive": .string(note.archive.fileName), "generation": number(note.number), "reason": .string(note.reason.rawValue),
      "suspects": .array(note.suspects.map { .string($0.description) }), "paths": .array(note.paths.map { .string($0.description) }),
      "isUnread": .bool(note.isUnread), "savedAt": note.savedAt.map { .date($0) },
    ])
  }

  private static func value(_ acceptance: Acceptance) -> ArchiveDictionary {
    ArchiveDictionary(present: [
      "archive": .string(acceptance.archive.fileName), "accepted": number(acceptance.accepted), "replaced": number(acceptance.replaced),
      "digest": number(acceptance.digest?.rawValue), "launch": number(acceptance.launch),
      "wasClosed": acceptance.wasClosed ? .bool(true) : nil, "isFinal": acceptance.isFinal.map { .bool($0) },
    ])
  }

  static func number(_ value: UInt64?) -> ArchiveValue? {
    value.map { ArchiveInteger(exactly: $0).map { .integer($0) } ?? .null }
  }

  private static func text(_ value: String?) -> ArchiveValue? { value.map { .string($0) } }

  /// Parses a ledger; nil if it is damaged.
  ///
  /// Keeps entries that this build does not understand, and writes them again.
  init?(_ bytes: [UInt8]) {
    guard let tree = try? ArchiveTree(decoding: Data(bytes)) else { return nil }
    let state = tree.applicationState
    for entry in state where !Self.keys.contains(entry.key) { unknown[entry.key] = entry.value }
    if case .bool(let value) = state["hasLaunched"] { hasLaunched = value }
    if case .integer(let value) = state["judged"] { judged = value.converted(to: UInt64.self) ?? 0 }
    streak = Entry(fields: state).count("streak") ?? 0
    suspects = read("suspects", in: state) { entry in
      guard let archive = entry.archive, entry.fields["path"] == nil || entry.path("path") != nil else { return nil }
      return Suspect(
        archive: archive, path: entry.path("path"), type: entry.text("type"), digest: entry.number("digest", as: UInt64.self),
        deaths: max(1, entry.count("deaths") ?? 1),
        phase: entry.number("phase", as: UInt32.self).flatMap { ProgressRecord.Phase(rawValue: $0) } ?? .none,
        isFault: entry.flag("isFault"), isSettled: entry.flag("isSettled"))
    }
    for (archive, entry) in read("archives", in: state, { entry in entry.archive.map { ($0, entry) } }) {
      setAside[archive] = entry.number("setAside", as: UInt64.self).map {
        SetAside(number: $0, last: max($0, entry.number("last", as: UInt64.self) ?? 0), isUnread: entry.flag("isUnread"))
      }
      fresh[archive] = entry.number("fresh", as: UInt64.self)
      wanted[archive] = entry.number("wanted", as: UInt64.self)
      failedTrials[archive] = entry.count("failedTrials")
      acquittals[archive] = entry.number("acquittal", as: UInt64.self)
      if entry.flag("isAcquitted") { acquitted.insert(archive) }
    }
    if case .array(let names) = state["openScenes"] {
      openScenes = names.compactMap { if case .string(let name) = $0 { ArchiveName(fileName: name) } else { nil } }
    }
    sessions = read("earlierSessions", in: state) { Session($0.fields) }
    launches = read("launches", in: state) { LaunchNote($0) }
    quarantined = read("quarantined", in: state) { entry in
      guard let archive = entry.archive, let path = entry.path("path") else { return nil }
      return Quarantined(
        archive: archive, path: path, digest: entry.number("digest", as: UInt64.self), type: entry.text("type"),
        builds: Set(entry.texts("builds")), goodLaunches: entry.count("goodLaunches") ?? 0,
        failedRetries: entry.count("failedRetries") ?? 0, isMember: entry.flag("isMember"), isOfStreak: entry.flag("isOfStreak"))
    }
    offers = read("offers", in: state) { entry in
      guard let archive = entry.archive, let number = entry.number("generation", as: UInt64.self) else { return nil }
      return OfferNote(
        archive: archive, number: number, reason: entry.text("reason").flatMap { StoreOffer.Reason(rawValue: $0) } ?? .unknown,
        suspects: entry.paths("suspects"), paths: entry.paths("paths"), isUnread: entry.flag("isUnread"), savedAt: entry.date("savedAt"))
    }
    acceptances = read("acceptances", in: state) { entry in
      guard let archive = entry.archive, let accepted = entry.number("accepted", as: UInt64.self),
        let replaced = entry.number("replaced", as: UInt64.self)
      else { return nil }
      return Acceptance(
        archive: archive, accepted: accepted, replaced: replaced,
        digest: entry.number("digest", as: UInt64.self).map { ContentDigest(rawValue: $0) },
        launch: entry.number("launch", as: UInt64.self),
        wasClosed: entry.flag("wasClosed"), isFinal: entry.fields["isFinal"].map { _ in entry.flag("isFinal") })
    }
    ended = read("ended", in: state) { $0.text("file").flatMap { Generation(fileName: $0) } }
  }

  /// The keys that this build understands.
  private static let keys: Set<String> = [
    "hasLaunched", "judged", "streak", "suspects", "archives", "launches", "quarantined", "offers", "acceptances", "ended", "openScenes",
    "earlierSessions",
  ]

  /// Reads the entries of a list, and keeps those that this build does not understand.
  private mutating func read<Element>(_ list: String, in state: ArchiveDictionary, _ body: (Entry) -> Element?) -> [Element] {
    guard case .array(let values) = state[list] else { return [] }
    var others: [ArchiveValue] = []
    let elements = values.compactMap { value -> Element? in
      if case .dictionary(let fields) = value, let element = body(Entry(fields: fields)) { return element }
      others.append(value)
      return nil
    }
    if !others.isEmpty { unknown[list] = .array(others) }
    return elements
  }

  /// A list entry whose fields may be missing or of another type.
  struct Entry {
    let fields: ArchiveDictionary

    var archive: ArchiveName? { text("archive").flatMap { ArchiveName(fileName: $0) } }

    /// Returns a text; nil for one that would take long to compare with others.
    func text(_ key: String) -> String? { fields[key].flatMap(Self.comparable) }

    private static func comparable(_ value: ArchiveValue) -> String? {
      if case .string(let text) = value, !text.hasExcessiveMarks { text } else { nil }
    }

    func flag(_ key: String) -> Bool { if case .bool(true) = fields[key] { true } else { false } }

    func number<Number: FixedWidthInteger>(_ key: String, as type: Number.Type) -> Number? {
      if case .integer(let value) = fields[key] { value.converted(to: type) } else { nil }
    }

    func date(_ key: String) -> Date? { if case .date(let date) = fields[key] { date } else { nil } }

    /// A counter; nil if it could not be counted up.
    func count(_ key: String) -> Int? { number(key, as: UInt32.self).map { Int(clamping: $0) } }

    func path(_ key: String) -> RestorationPath? { text(key).flatMap { Self.path(text: $0) } }

    func texts(_ key: String) -> [String] {
      guard case .array(let values) = fields[key] else { return [] }
      return values.compactMap(Self.comparable)
    }

    func paths(_ key: String) -> [RestorationPath] { texts(key).compactMap { Self.path(text: $0) } }

    /// The empty path, which denotes the application state, is stored as an empty text.
    private static func path(text: String) -> RestorationPath? {
      text.isEmpty ? .application : try? RestorationPath(parsing: text)
    }
  }
}

extension ArchiveDictionary {
  /// Creates a dictionary of the values that are there.
  init(present values: KeyValuePairs<String, ArchiveValue?>) {
    self.init(values.compactMap { key, value in value.map { (key, $0) } })
  }
}

extension [Generation] {
  /// Returns the files of an archive that may be restored, in the order in which a launch tries them: newest first.
  ///
  /// A file marked as an offer is still current if nothing newer was saved, unless the ledger records it as an offer. A mark may
  /// exclude a file, and does not change its position.
  func candidates(for archive: ArchiveName, _ ledger: LaunchLedger) -> [Generation] {
    let own = filter { $0.archive == archive }.sorted(by: >)
    let closed = own.first { $0.mark == .closed }?.number ?? 0
    let newest = own.first { $0.mark == .none || $0.mark == .pinned || $0.mark == .frozen }?.number ?? 0
    return own.filter { generation in
      // A closed scene is not restored, whatever was saved before.
      guard generation.number > closed else { return false }
      return switch generation.mark {
      case .none, .pinned, .frozen: true
      case .offered: generation.number > newest && ledger.offer(generation.number, of: archive) == nil
      case .declined, .damaged, .closed: false
      }
    }
  }
}

extension GenerationCatalog {
  /// Returns the files that may be restored, in the order in which they are tried: newest first.
  func candidates(for archive: ArchiveName, _ ledger: LaunchLedger) -> [Generation] { generations.candidates(for: archive, ledger) }
}
