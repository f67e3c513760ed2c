import RestorationArchive

extension LaunchHistory {
  /// Whether the digest of a quarantined node's state is still unknown.
  func lacksDigest(of path: RestorationPath, in archive: ArchiveName) -> Bool {
    ledger.quarantined.contains { $0.archive == archive && $0.path == path && $0.digest == nil }
  }

  /// Records the digest of a quarantined node's state.
  mutating func noteDigest(_ digest: UInt64, of path: RestorationPath, in archive: ArchiveName) {
    for index in ledger.quarantined.indices
    where ledger.quarantined[index].archive == archive && ledger.quarantined[index].path == path && ledger.quarantined[index].digest == nil
    {
      ledger.quarantined[index].digest = digest
    }
  }

  /// Records where a quarantined node was found, which an alias may have moved, and the digest of its state.
  mutating func noteFound(_ path: RestorationPath, at current: RestorationPath, _ digest: UInt64?, in archive: ArchiveName) {
    if let digest { noteDigest(digest, of: path, in: archive) }
    guard current != path, let index = ledger.quarantined.firstIndex(where: { $0.archive == archive && $0.path == path }) else { return }
    ledger.quarantined[index].path = current
  }

  /// Ends the quarantine of a node; returns whether there was one.
  mutating func release(_ path: RestorationPath, of archive: ArchiveName) -> Bool {
    let count = ledger.quarantined.count
    ledger.quarantined.removeAll { $0.archive == archive && $0.path == path }
    return ledger.quarantined.count < count
  }

  /// Quarantines nodes at the user's request.
  ///
  /// The quarantine applies to their state in `accepted`; other states at their paths are restored.
  mutating func quarantine(_ paths: Set<RestorationPath>, of archive: ArchiveName, in accepted: ArchiveReader) {
    for path in paths.sorted(by: { $0.description < $1.description }) {
      _ = release(path, of: archive)
      ledger.quarantined.append(LaunchLedger.Quarantined(archive: archive, path: path, bundleVersion: launch.bundleVersion))
      // Recorded immediately, since the process may die before it reaches the nodes.
      if let digest = accepted.quarantineDigest(of: path) { noteDigest(digest, of: path, in: archive) }
    }
  }
}
