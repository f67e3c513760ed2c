import RestorationArchive

/// The files of a store as the next launch will see them, for inspection before it begins.
///
/// Nothing on disk has changed: ``stored(_:)`` returns the file's name on disk.
struct PredictedFiles {
  /// The history that the next launch will have.
  private(set) var history: LaunchHistory
  /// The files with their future marks, newest first.
  private(set) var catalog: GenerationCatalog
  /// The files whose marks on disk differ.
  private var storedAs: [Generation: Generation] = [:]

  /// Predicts the effects of conclusions at a launch; `digest` returns the content digest of a file.
  init(
    _ history: LaunchHistory, _ catalog: GenerationCatalog, _ conclusions: [LaunchHistory.Conclusion],
    digest: (Generation) -> ContentDigest?
  ) {
    self.history = history
    self.catalog = catalog
    for conclusion in conclusions {
      let operations = self.history.fileSteps(for: conclusion, among: self.catalog.generations) { digest(stored($0)) }
      for step in operations.steps { foresee(step) }
      self.history.finish(conclusion, operations)
    }
    for archive in self.history.ledger.acquittals.keys {
      for step in self.history.fileSteps(forAcquittalOf: archive, among: self.catalog.generations).steps { foresee(step) }
      self.history.finishAcquittal(of: archive)
    }
  }

  private mutating func foresee(_ step: FileSteps.Step) {
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

  /// Returns a file with its mark on disk.
  func stored(_ generation: Generation) -> Generation { storedAs[generation] ?? generation }

  /// Returns the files that may be restored, in the order in which they are tried, with their marks on disk.
  func candidates(for archive: ArchiveName) -> [Generation] {
    catalog.candidates(for: archive, history.ledger).map(stored)
  }

  /// Returns the file of an archive that ended the process while it was read, and that is still to be offered; nil for others.
  func unread(_ archive: ArchiveName) -> Generation? {
    guard let aside = history.ledger.setAside[archive], aside.isUnread else { return nil }
    return candidates(for: archive).first { $0.number <= aside.number }
  }
}
