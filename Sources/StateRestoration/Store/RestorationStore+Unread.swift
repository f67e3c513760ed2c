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
      if generation.mark == .offered || generation.mark == .pinned { return false }
      if let prefix = try? prefix(of: generation) { return Self.isOfLaterVersion(prefix) }
      // Not all of them: on a disk that gives nothing back there would be one more with each save.
      unreadable += 1
      return unreadable <= limits.damaged
    }
    return catalog.expendable(of: archive, limits: limits)
  }

  /// What the first bytes of a file say; nil if they are not those of an archive, or damaged.
  func prefix(of generation: Generation) throws(FileSystemError) -> ArchivePrefix? {
    let bytes = try folder.readStart(of: generation.fileName, count: ArchivePrefix.byteCount)
    guard bytes.count == ArchivePrefix.byteCount, ArchivePrefix.isIntact(bytes.span) else { return nil }
    return ArchivePrefix(reading: bytes.span)
  }

  private static func isOfLaterVersion(_ prefix: ArchivePrefix) -> Bool {
    prefix.majorVersion != ArchivePrefix.majorVersion || prefix.features != 0
  }
}
