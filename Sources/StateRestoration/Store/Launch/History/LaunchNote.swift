import RestorationArchive

/// A launch on record: the build, how its process ended, and what it had restored.
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
    var value: ArchiveDictionary = [
      "exit": .string(exit.rawValue), "unstable": .array(unstable.map { .string($0.fileName) }), "streak": .integer(streak),
    ]
    if let bundleVersion { value["build"] = .string(bundleVersion) }
    if let called { value["called"] = .string(called.description) }
    return value
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
