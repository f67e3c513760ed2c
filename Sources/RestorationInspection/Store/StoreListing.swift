import ArchiveFormat
package import RestorationArchive
package import StateRestoration

/// The archives of a store, the condition of their files, and the plan for the next launch.
package struct StoreListing: Sendable {
  package struct Archive: Sendable {
    package let name: ArchiveName
    /// All files, newest first, including those kept under a marked name, such as `damaged`.
    package let files: [File]
    package let plan: LaunchPlan
    /// The nodes that a launch leaves out because they killed the app.
    package let quarantine: [QuarantinedNode]
    package let offers: [StoreOffer]

    package var quarantined: [RestorationPath] { quarantine.map(\.path) }

    /// Returns the number of nodes that a launch leaves out of what it restores.
    package static func leftOutCount(_ plan: LaunchPlan) -> Int {
      guard case .restore(let saved, let paths) = plan.action else { return 0 }
      return paths.count { (try? saved.reader.node(at: $0)) != nil }
    }

    /// Returns an open offer, with the options that answer it.
    func words(of offer: StoreOffer) -> String {
      let scene = name.scene.map { "--scene \($0.escapedForDisplay) " } ?? ""
      let number = offer.generation.number
      return "open offer: \(offer); \(scene)--accept \(number) or --decline \(number) answers it"
    }
  }

  package struct File: Sendable {
    package let saved: StoredState
    /// The outcome of loading the file at a launch; for a file set aside, the reason.
    package let condition: String

    var generation: Generation { saved.generation }
  }

  /// The archives, the most recently saved first.
  ///
  /// Archives with only files set aside come last.
  package let archives: [Archive]
  /// The sessions at the end of earlier launches, the last one first; nil for a single archive.
  private let sessions: [StoredSession]?
  /// The saved scenes that are open, or were at the end of the last launch, in order; nil for a single archive.
  private let openScenes: [ArchiveName]?
  /// The store's own files that cannot be read, and links whose archive is missing: a sentence each.
  package let notes: [String]
  /// The way the last process that used the store ended, and its build; nil if that is not on record.
  private let lastLaunch: (exit: LastExit, build: String?)?
  /// Whether the notes cost the next launch something.
  private let losesState: Bool

  /// Lists the contents of a store without changing it.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - archive: The archive to list; nil for all.
  /// - Throws: `StoreError.system` if the folder cannot be read.
  package init(_ store: RestorationStore, of archive: ArchiveName? = nil) throws(StoreError) {
    var archives: [Archive] = []
    let names = try store.archivesWithFiles().filter { archive == nil || $0 == archive }
    let progress = WorkProgress.begin(names.count)
    defer { progress?.end() }
    for (index, name) in names.enumerated() {
      progress?.advance(to: index)
      let plan = try store.plan(for: name)
      let offers = try store.offers(of: name)
      let states = try store.storedStates(of: name)
      let closed = states.lazy.map(\.generation).first { $0.mark == .closed }
      let files = states.map { File(saved: $0, condition: Self.condition(of: $0.generation, plan, offers, closed: closed)) }
      archives.append(
        Archive(name: name, files: files, plan: plan, quarantine: store.quarantinedNodes(of: name), offers: offers))
    }
    self.archives = archives
    let orphans = OrphanedLinks.list(try store.reader.catalog()).filter { archive == nil || $0.archive == archive }
    let ledger = store.ledgerFault()
    lastLaunch = store.lastLaunch()
    (sessions, openScenes) = archive == nil ? (try store.earlierSessions(), try store.openScenes()) : (nil, nil)
    notes = orphans.map(\.words) + (ledger.map { [Self.ledgerNote($0)] } ?? [])
    losesState = ledger != nil || orphans.contains(where: \.isNewest)
  }

  private static func ledgerNote(_ fault: String) -> String {
    "ledger.rsta, the record of earlier launches, cannot be read; earlier crashes are ignored, and open offers show no reason: \(fault)"
  }

  private static func condition(
    of generation: Generation, _ plan: LaunchPlan, _ offers: [StoreOffer], closed: Generation?
  ) -> String {
    if let candidate = plan.load.candidates.first(where: { $0.generation == generation }) {
      guard case .taken = candidate.outcome else { return candidate.outcome.description }
      switch plan.action {
      case .restore: return "restored"
      case .offer: return "offered"
      default: return "intact, but not restored"
      }
    }
    if generation.mark == .offered || generation.mark == .declined || generation.mark == .damaged {
      return "set aside: \(generation.mark.rawValue)"
    }
    if generation.mark == .closed { return "the scene was closed" }
    if let closed, generation.number < closed.number { return "belongs to the closed scene" }
    // The fate of an accepted offer decides the treatment of the generations saved since.
    guard offers.contains(where: { $0.generation.number == generation.number }) else {
      return "a copy of an accepted offer, which the next launch removes"
    }
    return "the next launch offers it"
  }

  /// Whether every file that a launch would try is intact, and so is the record of launches.
  package var isSound: Bool {
    !losesState
      && archives.allSatisfy { archive in
        archive.plan.load.candidates.allSatisfy { candidate in
          switch candidate.outcome {
          case .taken, .notNeeded: candidate.lostLinks == nil
          default: false
          }
        }
      }
  }

  // MARK: Text

  /// A sentence on the way the last launch ended; empty if that is not on record.
  var lastLaunchWords: [String] {
    guard let (exit, build) = lastLaunch else { return [] }
    return ["the last launch\(build.map { ", of build \($0.escapedForDisplay)," } ?? "") \(exit.words)"]
  }

  /// Returns the listing as text.
  package func text(_ style: TextStyle = .plain) -> String {
    var lines = archives.isEmpty ? ["nothing is saved here"] : []
    for archive in archives {
      lines.append(style.bold(archive.name.description))
      if !archive.files.isEmpty { Self.table(of: archive).visitLines(style) { lines.append($0) } }
      for node in archive.quarantine { lines.append("  quarantined: \(node)") }
      for offer in archive.offers { lines.append("  \(archive.words(of: offer))") }
      lines.append("  a launch now \(archive.plan.sentence)")
    }
    lines += sessions?.map { "an earlier \($0)" } ?? []
    lines += lastLaunchWords + notes
    return lines.joined(separator: "\n") + "\n"
  }

  private static func table(of archive: Archive) -> TextTable {
    let rows = archive.files.map { (file: File) -> [String] in
      let saved = file.saved
      let links = "\(saved.linkCount)" + (saved.lostLinkCount == 0 ? "" : ", \(saved.lostLinkCount) lost")
      return [
        saved.generation.description, saved.timestamp.map { ArchiveValue.date($0).displayText } ?? "-",
        saved.bundleVersion?.escapedForDisplay ?? "-", saved.nodeCount.map { "\($0)" } ?? "-", saved.byteCount.map { "\($0)" } ?? "-",
        links, saved.reason, file.condition,
      ]
    }
    let titles = ["generation", "saved", "by build", "nodes", "bytes", "links", "kept", "at a launch now"]
    return TextTable(titles: titles, numbers: 3..<6, rows: rows)
  }

  package var json: String {
    let closed = archives.flatMap(\.files).map(\.saved).filter { $0.generation.mark == .closed }.sorted { $0.generation > $1.generation }
    return JSONTextWriter.inspection([
      "archives": JSONList(archives, Self.members), "closedScenes": JSONList(closed, Self.members), "isSound": isSound,
      "lastLaunch": lastLaunch.map { ["bundleVersion": $0.build, "exit": $0.exit.rawValue] as JSONMembers },
      "notes": notes, "openScenes": openScenes.map { $0.map { $0.scene ?? "" } }, "sessions": sessions.map { JSONList($0, Self.members) },
    ])
  }

  private static func members(of session: StoredSession) -> JSONMembers {
    ["bundleVersion": session.bundleVersion, "states": JSONList(session.states, members), "timestamp": session.timestamp]
  }

  private static func members(of state: StoredState) -> JSONMembers {
    [
      "archive": state.archive.scene ?? "", "bundleVersion": state.bundleVersion, "generation": state.generation.number,
      "isCurrent": state.isCurrent, "reason": state.reason, "roots": state.roots, "timestamp": state.timestamp,
    ]
  }

  private static func members(of archive: Archive) -> JSONMembers {
    let quarantine = JSONList(archive.quarantine) { node in
      ["builds": node.builds, "failedRetries": node.failedRetries, "launchesLeft": node.launchesLeft, "path": node.path.description]
    }
    return [
      "action": archive.plan.actionName, "archive": archive.name.scene ?? "", "files": JSONList(archive.files, members),
      "offers": JSONList(archive.offers, members), "quarantine": quarantine, "quarantined": archive.quarantined.map(\.description),
      "reason": archive.plan.reason,
    ]
  }

  private static func members(of file: File) -> JSONMembers {
    let saved = file.saved
    return [
      "bundleVersion": saved.bundleVersion, "byteCount": saved.byteCount, "condition": file.condition,
      "file": saved.generation.fileName, "generation": saved.generation.number, "linkCount": saved.linkCount,
      "lostLinkCount": saved.lostLinkCount > 0 ? saved.lostLinkCount : nil, "mark": saved.generation.mark.rawValue,
      "nodeCount": saved.nodeCount, "reason": saved.reason, "timestamp": saved.timestamp,
    ]
  }

  private static func members(of offer: StoreOffer) -> JSONMembers {
    [
      "bundleVersion": offer.bundleVersion, "generation": offer.generation.number, "paths": offer.paths.map(\.description),
      "reason": offer.reason.rawValue, "roots": offer.roots, "sentence": offer.reason.sentence,
      "suspects": offer.suspects.map(\.description), "timestamp": offer.timestamp,
    ]
  }
}

extension LastExit {
  /// The words behind "the last launch".
  var words: String {
    switch self {
    case .ended: "ended by itself, by end() or exit"
    case .signal: "was asked to end"
    case .exited: "ended by exit in a callback"
    case .unanswered: "was asked to end, and did not answer"
    case .suspended: "ended while it was suspended"
    case .trapped: "crashed"
    case .killed: "is still running, or was killed"
    case .otherBoot: "ended with the system, which has restarted since"
    case .unknown: "ended in a way that is not known"
    }
  }
}

extension LaunchPlan {
  fileprivate var actionName: String {
    switch action {
    case .restore: "restore"
    case .offer: "offer"
    case .startFresh: "start-fresh"
    case .wait: "wait"
    }
  }

  /// The words behind "a launch now".
  var sentence: String {
    switch action {
    case .restore: reason
    case .offer: "starts fresh and \(reason)"
    case .startFresh: "starts fresh: \(reason)"
    case .wait: "waits: \(reason)"
    }
  }
}

/// The links of a generation whose archive is missing.
private struct OrphanedLinks {
  let archive: ArchiveName
  let generation: UInt64
  let count: Int
  /// Whether the archive has no newer generation, so that the links are its last saves.
  let isNewest: Bool
  /// Whether the next save keeps them.
  let isKept: Bool

  /// Lists the orphaned links of a store, the newest first.
  static func list(_ catalog: GenerationCatalog) -> [OrphanedLinks] {
    let orphans = Dictionary(grouping: catalog.orphans, by: \.base).map { missing, links in
      OrphanedLinks(
        archive: missing.archive, generation: missing.number, count: links.count,
        isNewest: catalog.generations(of: missing.archive).allSatisfy { $0.number < missing.number },
        isKept: links.allSatisfy(catalog.isRecent))
    }
    return orphans.sorted { ($0.generation, $0.archive.description) > ($1.generation, $1.archive.description) }
  }

  var words: String {
    let links = count == 1 ? "its link" : "its \(count) links"
    let them = count == 1 ? "it" : "them"
    let end = isKept ? "later saves of the archive remove" : "the next save removes"
    return "\(archive): generation \(generation) is missing, so \(links) cannot be used; \(end) \(them)"
  }
}
