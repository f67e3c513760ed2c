/// The archive files of a store, parsed from their names; foreign files are ignored.
package struct GenerationCatalog: Sendable {
  /// All generations, newest first.
  package internal(set) var generations: [Generation]
  /// The links of all generations, in order.
  package internal(set) var links: [GenerationFile]

  /// Parses the file names of a folder.
  package init(names: [String]) {
    let names = names.compactMap { GenerationFileName($0) }
    links = names.compactMap { GenerationFile($0) }.filter(\.isLink).sorted()
    generations = names.compactMap { Generation($0) }.sorted(by: >)
  }

  /// The files of each archive by itself.
  var byArchive: [ArchiveName: GenerationCatalog] {
    var parts: [ArchiveName: GenerationCatalog] = [:]
    for generation in generations { parts[generation.archive, default: GenerationCatalog(names: [])].generations.append(generation) }
    for link in links { parts[link.archive, default: GenerationCatalog(names: [])].links.append(link) }
    return parts
  }

  /// Returns the links of a generation, in order.
  package func links(of generation: Generation) -> [GenerationFile] {
    links.filter { $0.archive == generation.archive && $0.generation == generation.number }
  }

  /// The links without a generation: left behind by an interrupted removal or an interrupted folding.
  package var orphans: [GenerationFile] {
    let present = Set(generations.map { $0.marked(.none) })
    return links.filter { !present.contains($0.base) }
  }

  /// Returns the generations of one archive, newest first.
  package func generations(of archive: ArchiveName) -> [Generation] {
    generations.filter { $0.archive == archive }
  }

  /// Returns the newest unmarked file of an archive; nil for a closed scene.
  func current(of archive: ArchiveName) -> Generation? {
    generations(of: archive).first { $0.mark == .none || $0.mark == .closed }.flatMap { $0.mark == .none ? $0 : nil }
  }

  /// The archives without closed scenes, the most recently saved first.
  var archives: [ArchiveName] {
    var seen: Set<ArchiveName> = []
    let newest = generations.filter { $0.mark != .damaged && $0.mark != .declined && seen.insert($0.archive).inserted }
    return newest.filter { $0.mark != .closed }.map(\.archive)
  }

  /// The closed scenes, the last closed first.
  var closed: [Generation] { generations.filter { $0.mark == .closed } }

  /// Returns the files that a closed scene has left, from the oldest on, without the last one.
  func files(before closed: Generation) -> [Generation] {
    let own = generations(of: closed.archive).filter { $0.number < closed.number }
    return own.prefix { $0.mark != .closed }.reversed()
  }

  /// Out of range: at one save per nanosecond, a store would take 292 years to reach this number.
  static let firstAbsurdNumber: UInt64 = 1 << 63

  /// The files with out-of-range numbers, with their replacements.
  ///
  /// The new numbers are greater than all others and keep the order. The lowest comes first, so that no rename hits an
  /// existing name.
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

  /// The greatest number of the files of an archive that a store gives; nil without files.
  func lastNumber(of archive: ArchiveName) -> UInt64? {
    let links = links.lazy.filter { $0.archive == archive }.map(\.generation)
    return (generations(of: archive).map(\.number) + links).filter { $0 < Self.firstAbsurdNumber }.max()
  }

  /// The next number, greater than every number in use: unlike a clock, it never goes backward.
  ///
  /// Nil after the greatest possible number, which takes 2^64 saves; ``renumberings`` prevent that.
  var nextNumber: UInt64? {
    // A link whose generation is gone must not be taken for one of a new generation.
    let linked = links.lazy.map(\.generation).filter { $0 < Self.firstAbsurdNumber }.max() ?? 0
    let last = max(generations.map(\.number).max() ?? 0, linked)
    return last == .max ? nil : last + 1
  }
}

/// The generations that need not be kept.
extension GenerationCatalog {
  /// Returns the generations of an archive that need not be kept.
  func expendable(of archive: ArchiveName, limits: StoreLimits) -> [Generation] {
    let own = generations(of: archive)
    func marked(_ mark: Generation.Mark) -> [Generation] { own.filter { $0.mark == mark } }
    return [
      marked(.none).dropFirst(2), marked(.frozen).dropFirst(2), marked(.damaged).dropFirst(limits.damagedFiles),
      marked(.declined).dropFirst(limits.declinedFiles),
    ].flatMap { $0 }
  }

  /// Returns the pinned and offered generations beyond the limits, except the protected ones.
  func surplus(of archive: ArchiveName, limits: StoreLimits, without protected: Set<UInt64>) -> [Generation] {
    let own = generations(of: archive).filter { !protected.contains($0.number) }
    // The oldest is kept, because it may contain state that all later ones lack.
    func surplus(_ mark: Generation.Mark, _ limit: Int) -> ArraySlice<Generation> {
      let marked = own.filter { $0.mark == mark }
      return marked.count > limit ? marked.dropFirst(limit - 1).dropLast() : []
    }
    return Array(surplus(.pinned, limits.pinnedFiles) + surplus(.offered, limits.offers))
  }
}
