/// The files of a store by archive, as their names tell; files of others are passed over.
struct GenerationCatalog: Sendable {
  /// All generations, the newest first.
  var generations: [Generation]

  /// Sorts the names of a folder.
  init(names: [String]) {
    generations = names.compactMap { Generation(fileName: $0) }.sorted(by: >)
  }

  /// The generations of one archive, the newest first.
  func generations(of archive: ArchiveName) -> [Generation] {
    generations.filter { $0.archive == archive }
  }

  /// What may be restored, in the order in which it is tried: the newest first, whatever it was kept for.
  func candidates(for archive: ArchiveName, _ ledger: LaunchLedger) -> [Generation] {
    LaunchHistory.candidates(for: archive, among: generations, ledger)
  }

  /// The file that was saved last and not set aside.
  func current(of archive: ArchiveName) -> Generation? {
    generations(of: archive).first { $0.mark == .none }
  }

  /// The archives, the one saved last first.
  var archives: [ArchiveName] {
    var seen: Set<ArchiveName> = []
    return generations.filter { $0.mark != .damaged && $0.mark != .declined }.map(\.archive).filter { seen.insert($0).inserted }
  }

  /// From here on no store comes by itself: a save each nanosecond would take 292 years.
  private static let firstAbsurdNumber: UInt64 = 1 << 63

  /// The files with absurd numbers, and the generations that they should be instead.
  ///
  /// The new numbers are greater than all others, in the same order. The lowest comes first, so that no name is taken twice on the way.
  var renumberings: [(old: Generation, new: Generation)] {
    var last = generations.lazy.map(\.number).filter { $0 < Self.firstAbsurdNumber }.max() ?? 0
    var previous: UInt64?
    var renumberings: [(old: Generation, new: Generation)] = []
    for generation in generations.reversed() where generation.number >= Self.firstAbsurdNumber {
      if generation.number != previous { last += 1 }
      previous = generation.number
      if generation.number != last { renumberings.append((generation, Generation(generation.archive, last, generation.mark))) }
    }
    return renumberings
  }

  /// A number greater than all that were given: clocks may go back, this does not.
  ///
  /// After the greatest number of all, which takes 2^64 saves, numbers are not given any more; ``renumberings`` come before that.
  var nextNumber: UInt64? {
    let last = generations.map(\.number).max() ?? 0
    return last == .max ? nil : last + 1
  }

  /// The generations of an archive that need not be kept any longer.
  func expendable(of archive: ArchiveName, limits: StoreLimits) -> [Generation] {
    let own = generations(of: archive)
    func marked(_ mark: Generation.Mark) -> [Generation] { own.filter { $0.mark == mark } }
    return [
      marked(.none).dropFirst(2), marked(.frozen).dropFirst(), marked(.damaged).dropFirst(limits.damaged),
      marked(.declined).dropFirst(limits.declined),
    ].flatMap { $0 }
  }

  /// The pinned and offered generations of an archive that are beyond the limits, without those that no limit may end.
  func surplus(of archive: ArchiveName, limits: StoreLimits, without protected: Set<UInt64>) -> [Generation] {
    let own = generations(of: archive).filter { !protected.contains($0.number) }
    // The oldest one holds what all later ones may lack.
    func surplus(_ mark: Generation.Mark, _ limit: Int) -> ArraySlice<Generation> {
      let marked = own.filter { $0.mark == mark }
      return marked.count > limit ? marked.dropFirst(limit - 1).dropLast() : []
    }
    return Array(surplus(.pinned, limits.pinned) + surplus(.offered, limits.offered))
  }
}
