import ArchiveFormat

/// Files that this process cannot judge, because it cannot read them: they stay for one that can.
extension RestorationStore {
  /// The files of an archive that need not be kept.
  ///
  /// Those that cannot be judged are as if they were not there, so that two files remain that can be loaded. A later version removes its files
  /// itself when it is back.
  func expendable(of archive: ArchiveName, _ catalog: GenerationCatalog, _ state: State) -> [Generation] {
    // Most saves remove nothing, or one file; only then it pays to look into them.
    guard !catalog.expendable(of: archive, limits: limits).isEmpty else { return [] }
    var catalog = catalog
    var unreadable = 0
    catalog.generations.removeAll { generation in
      guard generation.archive == archive, generation.mark != .damaged, generation.mark != .declined else { return false }
      if wasPassedOver(generation, state) { return true }
      do throws(FileSystemError) {
        return try isOfLaterVersion(generation)
      } catch {
        // Not all of them: on a disk that gives nothing back there would be one more with each save.
        unreadable += 1
        return unreadable <= limits.damaged
      }
    }
    return catalog.expendable(of: archive, limits: limits)
  }

  /// Whether a file must stay for a process that can read it.
  func isUnjudged(_ generation: Generation, _ state: State) -> Bool {
    wasPassedOver(generation, state) || (try? isOfLaterVersion(generation)) ?? true
  }

  private func wasPassedOver(_ generation: Generation, _ state: State) -> Bool {
    state.passedOver[generation.archive]?.contains(generation.number) == true
  }

  /// Whether the first bytes of a file say so.
  private func isOfLaterVersion(_ generation: Generation) throws(FileSystemError) -> Bool {
    let file = try folder.open(generation.fileName, .read)
    defer { folder.system.close(file) }
    let bytes = try folder.again { () throws(FileSystemError) in
      try folder.system.read(file, at: 0, count: ArchivePrefix.byteCount)
    }
    guard bytes.count == ArchivePrefix.byteCount, ArchivePrefix.hasMagic(bytes.span), ArchivePrefix.isIntact(bytes.span)
    else { return false }
    let prefix = ArchivePrefix(reading: bytes.span)
    return prefix.majorVersion != ArchivePrefix.majorVersion || prefix.features != 0
  }
}
