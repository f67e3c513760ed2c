import RestorationArchive

/// The streak: the number of bad launches in a row, of the app as a whole. The longest one offers everything.
extension LaunchHistory {
  /// The number of bad launches in a row after which everything is offered.
  static let longestStreak = 3

  /// After the longest streak, sets everything aside: it is offered, or left if it was never stable.
  mutating func setEverythingAside(_ files: Files) {
    guard ledger.streak >= Self.longestStreak else { return }
    for archive in files.archives() {
      // The state that an accepted offer had replaced is about to be current again.
      let replaced = conclusions.first { $0.acceptance.archive == archive && !$0.isFinal }?.acceptance.replaced
      setAside(archive, replaced ?? files.current(archive))
    }
  }

  /// Takes back what a streak has offered and quarantined: the app dies without its state too.
  mutating func acquit(_ files: Files) {
    let innocent = ledger.setAside.keys.filter { !ledger.acquitted.contains($0) }
    guard !innocent.isEmpty else { return }
    for archive in innocent {
      let aside = ledger.setAside.removeValue(forKey: archive)
      // The state of a closed scene stays an offer: what the user has closed without it is not given up.
      if let aside, files.current(archive) != nil { ledger.acquittals[archive] = aside.number } else { ledger.fresh[archive] = nil }
    }
    ledger.quarantined.removeAll { $0.isOfStreak && innocent.contains($0.archive) }
    ledger.suspects = []
    ledger.streak = Self.longestStreak - 1
    ledger.acquitted.formUnion(innocent)
  }

  /// Ends the streak: no acquittal takes back what it has quarantined.
  mutating func endStreak() {
    ledger.streak = 0
    for index in ledger.quarantined.indices { ledger.quarantined[index].isOfStreak = false }
  }

  /// Makes the streak too short for offering everything: one more bad launch completes it again.
  mutating func shortenStreak() { ledger.streak = min(ledger.streak, Self.longestStreak - 1) }
}
