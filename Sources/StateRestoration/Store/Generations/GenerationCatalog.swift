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
  func candidates(for archive: ArchiveName) -> [Generation] {
    generations(of: archive).filter { $0.mark == .none || $0.mark == .pinned || $0.mark == .frozen }
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

  /// A number greater than all that were given: clocks may go back, this does not.
  ///
  /// After the greatest number of all, which takes 2^64 saves or a foreign file with that name, numbers are not given any more.
  var nextNumber: UInt64? {
    let last = generations.map(\.number).max() ?? 0
    return last == .max ? nil : last + 1
  }

  /// The generations of an archive that need not be kept any longer.
  func expendable(of archive: ArchiveName, limits: StoreLimits) -> [Generation] {
    let own = generations(of: archive)
    func marked(_ mark: Generation.Mark) -> [Generation] { own.filter { $0.mark == mark } }
    let pinned = marked(.pinned)
    // Of the pinned ones the oldest holds what all later ones may lack.
    let surplusPins = pinned.count > limits.pinned ? pinned.dropFirst(limits.pinned - 1).dropLast() : []
    return marked(.none).dropFirst(2) + marked(.frozen).dropFirst() + surplusPins + marked(.damaged).dropFirst(limits.damaged)
      + marked(.declined).dropFirst(limits.declined)
  }
}
