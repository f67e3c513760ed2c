package import RestorationArchive

/// A node that a launch leaves out because it killed the app, with the begin and the end of its quarantine.
package struct QuarantinedNode: Sendable, CustomStringConvertible {
  /// The path of the node.
  package let path: RestorationPath
  /// The build that died; nil if it has no version.
  package let bundleVersion: String?
  /// The number of stable launches after which the node is tried again.
  package let launchesLeft: Int
  /// The number of times that it was tried again and the process died.
  package let failedRetries: Int

  init(_ entry: LaunchLedger.Quarantined) {
    (path, bundleVersion, failedRetries) = (entry.path, entry.bundleVersion, entry.failedRetries)
    launchesLeft = entry.launchesLeft
  }

  /// The path, the build that died, and when the node is tried again.
  package var description: String {
    let since = "since build \(bundleVersion?.escapedForDisplay ?? "without a version") died in it"
    let retries = failedRetries == 0 ? "" : failedRetries == 1 ? " and in a retry" : " and in \(failedRetries) retries"
    let launches = launchesLeft == 1 ? "1 good launch" : "\(launchesLeft) good launches"
    let end = launchesLeft == 0 ? "tried again at the next launch" : "tried again by another build, or after \(launches)"
    return "\(path.displayText): \(since)\(retries); \(end)"
  }
}
