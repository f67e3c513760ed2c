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
    var days: Set<Int> = []
    return sessions.enumerated().filter { place, session in
      let day = session.timestamp.map { Int(($0.timeIntervalSinceReferenceDate / 86_400).rounded(.down).clamped) }
      let isLastOfDay = day.map { days.count < limits.sessionDays && days.insert($0).inserted } ?? false
      return place < limits.sessions || isLastOfDay
    }.map(\.element)
  }

  var value: ArchiveDictionary {
    var value: ArchiveDictionary = [
      "archives": .dictionary(
        ArchiveDictionary(
          generations.sorted { $0.key.fileName < $1.key.fileName }.map {
            ArchiveDictionary.Entry(key: $0.key.fileName, value: ArchiveInteger(exactly: $0.value).map { .integer($0) } ?? .null)
          }))
    ]
    if let timestamp { value["timestamp"] = .date(timestamp) }
    if let bundleVersion { value["build"] = .string(bundleVersion) }
    return value
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
