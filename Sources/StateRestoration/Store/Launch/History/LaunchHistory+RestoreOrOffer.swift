import RestorationArchive

/// Whether a launch restores an archive or offers it to the user.
extension LaunchHistory {
  /// The decision about an existing archive.
  enum Decision: Equatable {
    /// Restore the archive, without these nodes.
    case restore(without: [LaunchLedger.Quarantined])
    /// Offer the archive.
    case offer(StoreOffer.Reason, suspects: [RestorationPath])
  }

  /// The number of deaths in a row after which an archive is offered to the user instead of restored.
  static let deathsBeforeOffer = 2

  /// Decides whether this launch restores an archive or offers it to the user.
  func decision(for archive: ArchiveName) -> Decision {
    if launch.isSafe, !written.contains(archive) { return .offer(.safeMode, suspects: ledger.streaks[archive]?.suspects ?? []) }
    if let streak = ledger.streaks[archive], streak.deaths >= Self.deathsBeforeOffer { return .offer(.deaths, suspects: streak.suspects) }
    return .restore(without: ledger.quarantined.filter { $0.archive == archive && !$0.isDue(for: launch.bundleVersion) })
  }
}
