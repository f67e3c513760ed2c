#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// The persistent launch data of a store: deaths, quarantined nodes, offers.
///
/// It is stored as an archive with application state only, and replaced atomically like other archives.
struct LaunchLedger: Equatable {
  /// The consecutive launches that began restoring an archive and died before it was stable.
  struct DeathStreak: Equatable {
    /// The number of deaths that no quarantine explains.
    var deaths = 0
    /// The nodes in whose callbacks the process died, the most recent last.
    var suspects: [RestorationPath] = []
    /// The node of the last death; nil if the process died outside a callback.
    var lastNode: RestorationPath?
    /// The callback of that node in which the process died.
    var lastPhase = ProgressRecord.Phase.none

    var isEmpty: Bool { deaths == 0 && suspects.isEmpty && lastNode == nil }
  }

  /// A node whose restoration killed the process.
  struct Quarantined: Equatable {
    var archive: ArchiveName
    var path: RestorationPath
    /// The digest of the node's state at the death; a different state at the path is restored.
    ///
    /// Nil until a launch has left the node out, if an alias has moved it.
    var digest: UInt64?
    /// The build that died; another build retries the node.
    var bundleVersion: String?
    /// The number of stable launches without the node since the last death.
    var goodLaunches = 0
    /// The number of failed retries.
    var failedRetries = 0

    /// Whether a build retries the node.
    func isDue(for bundleVersion: String?) -> Bool {
      bundleVersion != self.bundleVersion || launchesLeft == 0
    }

    /// The number of stable launches without the node until it is retried.
    var launchesLeft: Int { max(0, Self.patience[min(failedRetries, Self.patience.count - 1)] - goodLaunches) }

    /// The number of stable launches before a retry, by the number of failed retries.
    private static let patience = [5, 10, 20]
  }

  /// The details of an open offer; the file's mark makes it an offer.
  struct OfferNote: Equatable {
    var archive: ArchiveName
    var number: UInt64
    var reason: StoreOffer.Reason
    var suspects: [RestorationPath] = []
    /// The nodes that the offer is limited to; empty for the whole state.
    var paths: [RestorationPath] = []
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
  }

  static let fileName = "ledger.rsta"
  /// The maximum length of a ledger; it contains only a few paths.
  static let maximumByteCount = 1 << 24
  /// The name for the last unreadable ledger: damaged, of a later version, or refused by the system.
  static let unreadableFileName = "ledger.unreadable.rsta"

  /// Whether any launch with this store has begun.
  var hasLaunched = false
  var streaks: [ArchiveName: DeathStreak] = [:]
  var quarantined: [Quarantined] = []
  var offers: [OfferNote] = []
  var acceptances: [Acceptance] = []
  /// The files that a limit has removed, until a launch that reported them is stable.
  var ended: [EndedFile] = []
  /// The last launch whose end has changed anything here, so that it is judged once; 0 if there was none.
  var judged: UInt64 = 0
  /// What this build does not understand, and a newer one has written: values by key, and entries of the lists.
  private var unknown = ArchiveDictionary()

  init() {}

  /// Returns the details of an offer.
  func offer(_ number: UInt64, of archive: ArchiveName) -> OfferNote? {
    offers.first { $0.archive == archive && $0.number == number }
  }

  /// Removes everything about an archive.
  mutating func forget(_ archive: ArchiveName) {
    streaks[archive] = nil
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
    let sortedStreaks = streaks.filter { !$0.value.isEmpty }.sorted { $0.key.fileName < $1.key.fileName }
    Self.put(sortedStreaks.map { Self.value(of: $0.value, $0.key) }, "rows", &state)
    Self.put(quarantined.map(Self.value), "quarantined", &state)
    Self.put(offers.map(Self.value), "offers", &state)
    Self.put(acceptances.map(Self.value), "acceptances", &state)
    if judged != 0 { state["judged"] = Self.number(judged) }
    Self.put(ended.map { ["archive": .string($0.archive.fileName), "file": .string($0.generation.fileName)] }, "ended", &state)
    return [UInt8](try ArchiveTree(applicationState: state).encoded())
  }

  private static func put(_ entries: [ArchiveDictionary], _ key: String, _ state: inout ArchiveDictionary) {
    var values: [ArchiveValue] = entries.map { .dictionary($0) }
    if case .array(let unknown) = state[key] { values += unknown }
    if !values.isEmpty { state[key] = .array(values) }
  }

  private static func value(of streak: DeathStreak, _ archive: ArchiveName) -> ArchiveDictionary {
    var value: ArchiveDictionary = [
      "archive": .string(archive.fileName), "deaths": .integer(streak.deaths),
      "suspects": .array(streak.suspects.map { .string($0.description) }),
    ]
    if let node = streak.lastNode {
      value["lastNode"] = .string(node.description)
      value["lastPhase"] = .integer(Int(streak.lastPhase.rawValue))
    }
    return value
  }

  private static func value(_ entry: Quarantined) -> ArchiveDictionary {
    var value: ArchiveDictionary = [
      "archive": .string(entry.archive.fileName), "path": .string(entry.path.description), "goodLaunches": .integer(entry.goodLaunches),
      "failedRetries": .integer(entry.failedRetries),
    ]
    if let digest = entry.digest { value["digest"] = number(digest) }
    if let version = entry.bundleVersion { value["bundleVersion"] = .string(version) }
    return value
  }

  private static func value(_ note: OfferNote) -> ArchiveDictionary {
    [
      "archive": .string(note.archive.fileName), "generation": number(note.number), "reason": .string(note.reason.rawValue),
      "suspects": .array(note.suspects.map { .string($0.description) }), "paths": .array(note.paths.map { .string($0.description) }),
    ]
  }

  private static func value(_ acceptance: Acceptance) -> ArchiveDictionary {
    var value: ArchiveDictionary = [
      "archive": .string(acceptance.archive.fileName), "accepted": number(acceptance.accepted), "replaced": number(acceptance.replaced),
    ]
    if let digest = acceptance.digest { value["digest"] = number(digest.rawValue) }
    if let launch = acceptance.launch { value["launch"] = number(launch) }
    return value
  }

  private static func number(_ value: UInt64) -> ArchiveValue { ArchiveInteger(exactly: value).map { .integer($0) } ?? .null }

  /// Parses a ledger; nil if it is damaged.
  ///
  /// Keeps entries that this build does not understand, and writes them again.
  init?(_ bytes: [UInt8]) {
    guard let tree = try? ArchiveTree(decoding: Data(bytes)) else { return nil }
    let state = tree.applicationState
    for entry in state where !Self.keys.contains(entry.key) { unknown[entry.key] = entry.value }
    if case .bool(let value) = state["hasLaunched"] { hasLaunched = value }
    if case .integer(let value) = state["judged"] { judged = value.converted(to: UInt64.self) ?? 0 }
    for entry in Entry.list("rows", in: state) {
      guard let archive = entry.archive else {
        keep(entry, "rows")
        continue
      }
      streaks[archive] = DeathStreak(
        deaths: max(0, entry.number("deaths", as: Int.self) ?? 0), suspects: entry.paths("suspects"), lastNode: entry.path("lastNode"),
        lastPhase: entry.number("lastPhase", as: UInt32.self).flatMap { ProgressRecord.Phase(rawValue: $0) } ?? .none)
    }
    for entry in Entry.list("quarantined", in: state) {
      guard let archive = entry.archive, let path = entry.path("path") else {
        keep(entry, "quarantined")
        continue
      }
      quarantined.append(
        Quarantined(
          archive: archive, path: path, digest: entry.number("digest", as: UInt64.self), bundleVersion: entry.text("bundleVersion"),
          goodLaunches: max(0, entry.number("goodLaunches", as: Int.self) ?? 0),
          failedRetries: max(0, entry.number("failedRetries", as: Int.self) ?? 0)))
    }
    for entry in Entry.list("offers", in: state) {
      guard let archive = entry.archive, let number = entry.number("generation", as: UInt64.self) else {
        keep(entry, "offers")
        continue
      }
      let reason = entry.text("reason").flatMap { StoreOffer.Reason(rawValue: $0) } ?? .unknown
      offers.append(
        OfferNote(archive: archive, number: number, reason: reason, suspects: entry.paths("suspects"), paths: entry.paths("paths")))
    }
    for entry in Entry.list("acceptances", in: state) {
      guard let archive = entry.archive, let accepted = entry.number("accepted", as: UInt64.self),
        let replaced = entry.number("replaced", as: UInt64.self)
      else {
        keep(entry, "acceptances")
        continue
      }
      acceptances.append(
        Acceptance(
          archive: archive, accepted: accepted, replaced: replaced,
          digest: entry.number("digest", as: UInt64.self).map { ContentDigest(rawValue: $0) },
          launch: entry.number("launch", as: UInt64.self)))
    }
    for entry in Entry.list("ended", in: state) {
      guard let archive = entry.archive, let generation = entry.text("file").flatMap({ Generation(fileName: $0) }) else {
        keep(entry, "ended")
        continue
      }
      ended.append(EndedFile(archive: archive, generation: generation))
    }
  }

  /// The keys that this build understands.
  private static let keys: Set<String> = ["hasLaunched", "judged", "rows", "quarantined", "offers", "acceptances", "ended"]

  /// Keeps an entry of a list that this build does not understand.
  private mutating func keep(_ entry: Entry, _ list: String) {
    var entries: [ArchiveValue] = []
    if case .array(let known) = unknown[list] { entries = known }
    unknown[list] = .array(entries + [.dictionary(entry.fields)])
  }

  /// A list entry whose fields may be missing or of another type.
  private struct Entry {
    let fields: ArchiveDictionary

    static func list(_ key: String, in state: ArchiveDictionary) -> [Entry] {
      guard case .array(let values) = state[key] else { return [] }
      return values.compactMap { if case .dictionary(let fields) = $0 { Entry(fields: fields) } else { nil } }
    }

    var archive: ArchiveName? { text("archive").flatMap { ArchiveName(fileName: $0) } }

    func text(_ key: String) -> String? { if case .string(let text) = fields[key] { text } else { nil } }

    func number<Number: FixedWidthInteger>(_ key: String, as type: Number.Type) -> Number? {
      if case .integer(let value) = fields[key] { value.converted(to: type) } else { nil }
    }

    func path(_ key: String) -> RestorationPath? { text(key).flatMap { Self.path(text: $0) } }

    func paths(_ key: String) -> [RestorationPath] {
      guard case .array(let values) = fields[key] else { return [] }
      return values.compactMap { if case .string(let text) = $0 { Self.path(text: text) } else { nil } }
    }

    /// The empty path, which denotes the application state, is stored as an empty text.
    private static func path(text: String) -> RestorationPath? {
      text.isEmpty ? .application : try? RestorationPath(parsing: text)
    }
  }
}
