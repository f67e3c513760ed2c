import RestorationArchive

/// The files of a store as the next launch will have them, for those who look before it has begun.
///
/// Nothing on the disk has changed: ``stored(_:)`` tells under which name a file is there now.
struct ForeseenFiles {
  /// What the next launch knows.
  private(set) var history: LaunchHistory
  /// The files with the marks that they will have, the newest first.
  private(set) var catalog: GenerationCatalog
  /// The files that have another mark on the disk.
  private var storedAs: [Generation: Generation] = [:]

  /// Foresees what a launch does because of verdicts; `digest` tells the content of a file.
  init(_ history: LaunchHistory, _ catalog: GenerationCatalog, _ verdicts: [LaunchHistory.Verdict], digest: (Generation) -> ContentDigest?)
  {
    self.history = history
    self.catalog = catalog
    for verdict in verdicts {
      let measures = self.history.measures(for: verdict, among: self.catalog.generations) { digest(stored($0)) }
      for step in measures.steps { foresee(step) }
      self.history.conclude(verdict, followers: measures.followers)
    }
  }

  private mutating func foresee(_ step: VerdictMeasures.Step) {
    switch step {
    case .remove(let generation): catalog.generations.removeAll { $0 == generation }
    case .mark(let generation, let mark):
      let marked = generation.marked(mark)
      storedAs[marked] = stored(generation)
      catalog.generations.removeAll { $0 == generation }
      catalog.generations.append(marked)
      catalog.generations.sort(by: >)
    }
  }

  /// A file under the name that it has on the disk.
  func stored(_ generation: Generation) -> Generation { storedAs[generation] ?? generation }

  /// What may be restored, in the order in which it is tried, under the names on the disk.
  func candidates(for archive: ArchiveName) -> [Generation] {
    catalog.candidates(for: archive, history.ledger).map(stored)
  }

  /// The open offers of an archive, the newest first.
  func offers(of archive: ArchiveName, current: Generation?) -> [StoreOffer] {
    history.offers(of: archive, among: catalog.generations, current: current)
  }
}
