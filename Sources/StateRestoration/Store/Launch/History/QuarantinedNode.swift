package import RestorationArchive

/// A node that a launch leaves out because it killed the app, with the begin and the end of its quarantine.
package struct QuarantinedNode: Sendable, CustomStringConvertible {
  /// The path of the node.
  package let path: RestorationPath
  /// The builds that died in it; a build without a version is an empty text.
  package let builds: [String]
  /// The number of stable launches after which the node is tried again.
  package let launchesLeft: Int
  /// The number of times that it was tried again and the process died.
  package let failedRetries: Int
  /// Whether it is left out with the other nodes of its type, and no build died in it.
  package let isMember: Bool
  /// When it is tried again, and what releases it, in words.
  package let retry: String
  /// The launches on record that died in its callbacks, a line each.
  package let deaths: [String]

  init(_ entry: LaunchLedger.Quarantined, in history: LaunchHistory) {
    (path, builds, failedRetries) = (entry.path, entry.builds.sorted(), entry.failedRetries)
    (isMember, launchesLeft, retry) = (entry.isMember, history.launchesLeft(entry), "\(history.retry(of: entry)) by --release")
    deaths = history.ledger.launches.filter { $0.called == entry.path && $0.unstable.contains(entry.archive) }.map(\.description)
  }

  /// The path, the builds that died, and when the node is tried again.
  package var description: String {
    let names = builds.map { $0.isEmpty ? "without a version" : $0.escapedForDisplay }.joined(separator: ", ")
    let retries = failedRetries == 0 ? "" : failedRetries == 1 ? " and in a retry" : " and in \(failedRetries) retries"
    let place = isMember ? "others of its type" : "it"
    return "\(path.displayText): since build \(names) died in \(place)\(retries); \(retry)"
  }
}
