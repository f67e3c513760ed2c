public import FoundationValues
public import RestorationArchive

/// A saved state in a store: a generation of an archive, with its time, its build and its size, and the reason why it is kept.
///
/// ``RestorationStore/storedStates(of:)`` lists all of them. One that the next launch does not restore can be looked at
/// (``RestorationStore/contents(of:)-(StoredState)``), and restored or declined by its ``offer``.
public struct StoredState: Sendable, CustomStringConvertible {
  /// The generation: its archive, its number and its mark.
  public let generation: Generation
  /// Whether it is the current state of its archive, which a launch restores, or offers if launches have died of it.
  public let isCurrent: Bool
  /// The header of the archive; nil if it cannot be opened.
  public let header: ArchiveHeader?
  /// The identifiers of the first roots, in many apps the windows, in saved order; at most 32.
  public let roots: [String]
  /// The number of roots, the top-level nodes.
  public let rootCount: Int
  /// The number of nodes; nil if the archive cannot be opened.
  public let nodeCount: Int?
  /// The number of bytes with all links applied; nil if the archive cannot be opened.
  public let byteCount: Int?
  /// The number of saves after the first, each of which is a link; 0 if the archive cannot be opened.
  package let linkCount: Int
  /// The number of those that are lost.
  package let lostLinkCount: Int
  /// The offer with which the state is restored or declined; nil for the state that a launch restores, and for one that
  /// is declined or damaged.
  public let offer: StoreOffer?
  /// The reason for keeping the state.
  public let reason: String

  /// The archive.
  public var archive: ArchiveName { generation.archive }
  /// The time of the save; nil if it is unknown.
  public var timestamp: Date? { header?.timestamp }
  /// The build that saved it; nil if it is unknown.
  public var bundleVersion: String? { header?.bundleVersion }

  static let rootLimit = 32

  /// Creates the description of a generation, as far as it can be opened.
  init(
    _ generation: Generation, isCurrent: Bool = false, _ opened: StoreReader.Opened?, _ offer: StoreOffer?,
    because reason: String? = nil
  ) {
    (self.generation, self.isCurrent, self.offer) = (generation, isCurrent, offer)
    self.reason = reason ?? Self.reason(for: generation.mark, isCurrent, offer)
    header = opened?.reader.header
    var roots: [String] = []
    let root = try? opened?.reader.application()
    // A damaged root has no name.
    root?.visitChildren { child in
      if roots.count < Self.rootLimit, let identifier = try? child.get().identifier { roots.append(identifier) }
    }
    (self.roots, rootCount) = (roots, root?.childCount ?? 0)
    (nodeCount, byteCount) = (opened?.reader.nodeCount, opened?.bytes.count)
    (linkCount, lostLinkCount) = opened.map { ($0.links.applied + $0.links.lost, $0.links.lost) } ?? (0, 0)
  }

  private static func reason(for mark: Generation.Mark, _ isCurrent: Bool, _ offer: StoreOffer?) -> String {
    if offer?.reason == .session { return "for an earlier session" }
    return switch mark {
    case .none: isCurrent ? "the newest" : "in case newer ones are damaged"
    case .frozen: "the last of the previous build"
    case .pinned: "not restored completely"
    case .offered: isCurrent ? "the newest" : "until the user answers"
    case .declined: "a last chance after it was declined"
    case .damaged: "to find out what damaged it"
    case .closed: "to be reopened"
    }
  }

  /// A line with the archive, the generation, the time, the build, the number of roots, and the reason.
  public var description: String {
    let saved = timestamp.map { ", saved \(ArchiveValue.date($0).displayText)" } ?? ""
    let build = bundleVersion.map { " by build \($0.escapedForDisplay)" } ?? ""
    let content = nodeCount == nil ? ", cannot be opened" : ", \(rootCount) \(rootCount == 1 ? "root" : "roots")"
    return "\(archive), generation \(generation)\(saved)\(build)\(content); kept: \(reason)"
  }
}

extension RestorationStore {
  /// Lists the saved states of an archive, newest first: the one that a launch restores, earlier ones, those kept because
  /// they were not restored completely or because the build has changed, offers, and those set aside.
  ///
  /// - Throws: ``StoreError``.
  /// - Complexity: O(n) in the bytes of their files, which are read.
  public func storedStates(of archive: ArchiveName = .application) throws(StoreError) -> [StoredState] {
    let files = try predictedFiles(of: archive)
    let offers = try openOffers(of: archive, nil, files)
    let generations = try generations(of: archive)
    let current = files.candidates(for: archive).first
    let ledger = files.history.ledger
    let inSessions = Set(ledger.sessions.compactMap { $0.generations[archive] })
    let surplus = files.catalog.expendable(of: archive, limits: limits) + files.catalog.surplus(of: archive, limits: limits, without: [])
    // A session alone keeps them.
    let ofSessions = inSessions.intersection(surplus.map(\.number))
    let accepted = Set(ledger.acceptances.lazy.filter { $0.archive == archive }.map(\.accepted))
    // The marks of the next launch, by the names on the disk.
    let marks = Dictionary(files.catalog.generations(of: archive).map { (files.stored($0), $0.mark) }) { first, _ in first }
    // Reading that file has ended the process before.
    let unread = files.unread(archive)
    let closed = generations.first { $0.mark == .closed }?.number ?? 0
    let frozen = generations.first { $0.mark == .frozen }
    return generations.map { generation in
      let open = offers.first { $0.generation.number == generation.number }
      // What a closed scene has left is not restored without it.
      let isHidden = generation.number < closed
      let reason: StoreOffer.Reason? =
        if generation == current || isHidden { nil } else { marks[generation].flatMap(StoreOffer.Reason.init) }
      let unasked = reason.map { StoreOffer(generation, ofSessions.contains(generation.number) ? .session : $0) }
      let isOnTrial = open == nil && accepted.contains(generation.number)
      let isSecondFrozen = generation.mark == .frozen && generation != frozen && unasked?.reason != .session
      let special =
        isOnTrial
        ? "until its accepted copy is stable"
        : isHidden ? "to be reopened with the scene" : isSecondFrozen ? "the last of an earlier build" : nil
      return StoredState(
        generation, isCurrent: generation == current, generation == unread || open?.isUnread == true ? nil : reader.opened(generation),
        open ?? unasked, because: special)
    }
  }

  /// Returns the archive of a saved state.
  ///
  /// - Throws: ``StoreError/noGeneration(_:)`` if it no longer exists; ``StoreError/unusable(_:_:)`` if nothing of it can
  ///   be read.
  public func contents(of state: StoredState) throws(StoreError) -> ArchiveReader {
    let number = state.generation.number
    guard let generation = try generations(of: state.archive).first(where: { $0.number == number }) else { throw .noGeneration(number) }
    return try contents(of: generation)
  }
}

extension StoreOffer.Reason {
  /// The reason for offering a state without asking the user about it; nil for one that is set aside.
  fileprivate init?(_ mark: Generation.Mark) {
    switch mark {
    case .none: self = .earlier
    case .frozen: self = .frozen
    case .pinned: self = .pinned
    case .closed: self = .closed
    case .offered, .declined, .damaged: return nil
    }
  }
}

/// A session: the saved states of the app and of its scenes at one moment.
///
/// ``AppRestoration/earlierSessions()`` lists the sessions of earlier launches, and ``AppRestoration/offeredSession()`` is the
/// one that a launch has not restored. A session is restored or declined in one call, whole or in part.
public struct StoredSession: Sendable, CustomStringConvertible {
  /// The time of the last save; nil if unknown.
  public let timestamp: Date?
  /// The build that saved it; nil if unknown.
  public let bundleVersion: String?
  /// The states: that of the app first, then those of the scenes, ordered by name.
  public let states: [StoredState]

  /// A line with the time, the build and the archives.
  public var description: String {
    let saved = timestamp.map { "saved \(ArchiveValue.date($0).displayText)" } ?? "time unknown"
    let build = bundleVersion.map { " by build \($0.escapedForDisplay)" } ?? ""
    return "session \(saved)\(build): \(states.map(\.archive.description).joined(separator: ", "))"
  }
}

/// A saved state that was not restored automatically, and that the user may restore.
///
/// An offer stays open across saves, launches and updates until it is accepted or declined
/// (``RestorationStore/accept(_:without:evenIfDiedTwice:into:with:replacing:options:isolation:)``, ``RestorationStore/decline(_:)``),
/// its archive is removed, or a limit or its age ends it, which a launch reports (``AppLaunch/endedFiles``). An
/// unanswered offer is repeated at the next launch.
public struct StoreOffer: Sendable, Hashable, CustomStringConvertible {
  /// The reason for offering a state instead of restoring it.
  public enum Reason: String, Sendable, CaseIterable {
    /// The process died twice during or soon after restoring it, or in three launches in a row, whatever they restored.
    case deaths
    /// The launch was in safe mode.
    case safeMode = "safe-mode"
    /// A policy or the delegate declined it for now, and a newer state was saved.
    case notNow = "not-now"
    /// The file is of a later version of the format, and a newer state was saved.
    case laterVersion = "later-version"
    /// The system could not read the file, and a newer state was saved.
    case unreadable
    /// The app had newer state in memory when the storage became accessible.
    case newerState = "newer-state"
    /// Another process saved it while this one had lost the folder.
    case otherProcess = "other-process"
    /// It contains the state of a quarantined node whose object the user has changed since.
    case quarantine
    /// It was current until another offer was accepted.
    case replaced
    /// It was saved after another offer was accepted, and before that offer made the process die.
    case followed
    /// It was current before, and is kept in case newer states are damaged.
    case earlier
    /// It is kept because it was not restored completely.
    case pinned
    /// It is kept because it is the last state of an earlier build.
    case frozen
    /// It is the last state of a scene that was closed recoverably.
    case closed
    /// It belongs to the session at the end of an earlier launch.
    case session
    /// The reason was not recorded.
    case unknown
  }

  /// The archive.
  public let archive: ArchiveName
  /// The file.
  public let generation: Generation
  /// The reason for the offer.
  public let reason: Reason
  /// The nodes in whose callbacks the process died, the most recent last; leaving them out may be enough.
  public let suspects: [RestorationPath]
  /// The nodes whose own state the offer is limited to; empty for the whole state.
  public let paths: [RestorationPath]
  /// The time of the save; nil if unknown.
  public private(set) var timestamp: Date?
  /// The build that saved it; nil if unknown.
  public private(set) var bundleVersion: String?
  /// The identifiers of the first top-level objects, such as windows, in saved order; at most 32, and none of an archive of
  /// more than 1 MiB.
  public private(set) var roots: [String] = []
  /// Whether nothing opens the file, because the process died while reading it.
  let isUnread: Bool

  init(
    _ generation: Generation, _ reason: Reason, suspects: [RestorationPath] = [], paths: [RestorationPath] = [], isUnread: Bool = false
  ) {
    (archive, self.generation, self.reason) = (generation.archive, generation, reason)
    (self.suspects, self.paths, self.isUnread) = (suspects, paths, isUnread)
  }

  /// Returns the offer with what the header of its archive says, and what the archive has.
  func described(by header: ArchiveHeader, _ archive: ArchiveReader?) -> StoreOffer {
    var offer = self
    (offer.timestamp, offer.bundleVersion) = (header.timestamp, header.bundleVersion)
    offer.roots = (try? archive?.application().children())?.prefix(StoredState.rootLimit).compactMap(\.path.identifier) ?? []
    return offer
  }

  /// A line with the generation, the scene if any, time, build and content of the save, and the reason for the offer; no
  /// saved value.
  public var description: String {
    let scene = archive == .application ? "" : " of \(archive)"
    let seconds = timestamp.map { Date(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate.rounded(.down)) }
    let date = seconds.map { ", saved \(ArchiveValue.description(of: $0))" } ?? ""
    let build = bundleVersion.map { "\(date.isEmpty ? ", saved" : "") by build \($0.escapedForDisplay)" } ?? ""
    let all = roots.prefix(4).map(\.escapedForDisplay) + (roots.count > 4 ? ["more"] : [])
    let content = paths.isEmpty ? all : paths.map(\.textForDisplay)
    let about = content.isEmpty ? "" : ", \(paths.isEmpty ? "with" : "only the state of") \(content.joined(separator: ", "))"
    let without = suspects.isEmpty ? "" : "; suspect: \(suspects.map(\.textForDisplay).joined(separator: ", "))"
    return "generation \(generation.number)\(scene)\(date)\(build)\(about): \(reason.sentence)\(without)"
  }
}

extension StoreOffer.Reason {
  /// The reason as text.
  public var sentence: String {
    switch self {
    case .deaths: "the process died in several launches, while or soon after it restored saved state"
    case .safeMode: "the launch was in safe mode"
    case .notNow: "it was declined for now"
    case .laterVersion: "it is of a later version of the format"
    case .unreadable: "the system could not read it"
    case .newerState: "the app had newer state in memory"
    case .otherProcess: "another process saved it while this one did not hold the folder"
    case .quarantine: "the object of a quarantined node was changed"
    case .replaced: "it was current until another state took its place"
    case .followed: "it was saved after an offer was accepted that ended the process"
    case .earlier: "it is an earlier state"
    case .pinned: "it was not restored completely"
    case .frozen: "it is the last state of an earlier build"
    case .closed: "the scene was closed"
    case .session: "it belongs to an earlier session"
    case .unknown: "the reason is not known"
    }
  }
}
