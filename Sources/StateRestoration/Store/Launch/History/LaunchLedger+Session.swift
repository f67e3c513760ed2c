import FoundationValues
import RestorationArchive

extension LaunchLedger {
  /// The session at the end of a launch: the files of the app and of its scenes.
  struct Session: Equatable {
    /// The time of the last save; nil if unknown.
    var timestamp: Date?
    /// The build that saved it.
    var bundleVersion: String?
    /// The generation of each archive.
    var generations: [ArchiveName: UInt64]
  }

  /// Returns the generations of an archive that pruning leaves: those of sessions, an accepted offer on trial and the state
  /// that it replaced.
  func held(of archive: ArchiveName) -> Set<UInt64> {
    let accepted = acceptances.lazy.filter { $0.archive == archive }.flatMap { [$0.accepted, $0.replaced] }
    return Set(sessions.compactMap { $0.generations[archive] }).union(accepted)
  }
}

extension LaunchLedger.Session {
  /// Returns those of some sessions, the last one first, that the limits allow: of the last launches, and the last of each day.
  static func listed(_ sessions: [Self], _ limits: StoreLimits) -> [Self] {
    var days: Set<Int64> = []
    return sessions.enumerated().filter { place, session in
      let day = session.timestamp.map { Int64(($0.timeIntervalSinceReferenceDate / 86_400).rounded(.down).clamped) }
      let isLastOfDay = day.map { days.count < limits.sessionDays && days.insert($0).inserted } ?? false
      return place < limits.sessions || isLastOfDay
    }.map(\.element)
  }

  var value: ArchiveDictionary {
    let numbers = generations.map { ($0.key.fileName, LaunchLedger.number($0.value) ?? .null) }
    return ArchiveDictionary(present: [
      "archives": .dictionary(ArchiveDictionary(numbers)), "timestamp": timestamp.map { .date($0) },
      "build": bundleVersion.map { .string($0) },
    ])
  }

  /// Creates a session from its form in the ledger; nil if it is of another form.
  init?(_ fields: ArchiveDictionary) {
    guard case .dictionary(let archives) = fields["archives"] else { return nil }
    generations = [:]
    for entry in archives {
      guard let archive = ArchiveName(fileName: entry.key), case .integer(let number) = entry.value else { return nil }
      generations[archive] = number.converted(to: UInt64.self)
    }
    if case .date(let date) = fields["timestamp"] { timestamp = date }
    if case .string(let build) = fields["build"] { bundleVersion = build }
  }
}

extension Double {
  /// The value as far as it fits into an integer.
  fileprivate var clamped: Double { isFinite ? min(max(self, -1e15), 1e15) : 0 }
}

/// A launch on record: the build, the end of its process, the archives on trial.
///
/// No saved value is in it.
struct LaunchNote: Sendable, Hashable, CustomStringConvertible {
  /// The build; nil if unknown.
  let bundleVersion: String?
  /// The way the process ended.
  let exit: LastExit
  /// The archives that were restored and not stable when it ended.
  let unstable: [ArchiveName]
  /// The node whose callback was running, and its archive.
  let called: RestorationPath?
  /// The number of launches in a row, up to this one, that died before they were stable.
  let streak: Int

  /// A line with the build, the end, and what had caused it as far as that is known.
  var description: String {
    let build = bundleVersion.map { "build \($0.escapedForDisplay): " } ?? ""
    let node = called.map { " in a callback of \($0.textForDisplay)" } ?? ""
    let archives = unstable.isEmpty ? "" : ", not stable: \(unstable.map(\.description).joined(separator: ", "))"
    return "\(build)\(exit.rawValue)\(node)\(archives)\(streak > 0 ? "; bad launches in a row: \(streak)" : "")"
  }
}

extension LaunchNote {
  /// The greatest number of archives that a note names.
  static let maximumArchiveCount = 8

  var value: ArchiveDictionary {
    ArchiveDictionary(present: [
      "exit": .string(exit.rawValue), "unstable": .array(unstable.map { .string($0.fileName) }), "streak": .integer(streak),
      "build": bundleVersion.map { .string($0) }, "called": called.map { .string($0.description) },
    ])
  }

  init?(_ entry: LaunchLedger.Entry) {
    guard let exit = entry.text("exit").flatMap({ LastExit(rawValue: $0) }) else { return nil }
    self.exit = exit
    (bundleVersion, called, streak) = (entry.text("build"), entry.path("called"), entry.count("streak") ?? 0)
    unstable = entry.texts("unstable").compactMap { ArchiveName(fileName: $0) }
  }
}

extension LaunchLedger {
  /// The number of launches on record.
  static let launchLimit = 32

  /// Puts a launch on record that was judged.
  mutating func note(_ last: LaunchHistory.LastLaunch, _ exit: LastExit) {
    launches.append(
      LaunchNote(
        bundleVersion: last.record.bundleVersion, exit: exit,
        unstable: last.restoring.filter { last.wasUnstable($0, exit) }.prefix(LaunchNote.maximumArchiveCount).map(\.archive),
        called: last.called?.path, streak: streak))
    launches.removeFirst(max(0, launches.count - Self.launchLimit))
  }

  /// Whether what another ledger says of the next launches is the same, whatever was the last one.
  func isSameBesidesRecord(_ other: LaunchLedger) -> Bool {
    var other = other
    (other.judged, other.launches) = (judged, launches)
    return self == other
  }
}
