import ArchiveFormat

/// The files that this process cannot read, which are kept for a process that can.
extension RestorationStore {
  /// The files of an archive that need not be kept.
  ///
  /// Files that cannot be read are not counted, so that two loadable files remain. A later version removes its own
  /// files when it runs again.
  func expendable(of archive: ArchiveName, _ catalog: GenerationCatalog, _ state: State) -> [Generation] {
    // Most saves remove at most one file; reading prefixes pays off only then.
    guard !catalog.expendable(of: archive, limits: limits).isEmpty else { return [] }
    var catalog = catalog
    var unreadable = 0
    catalog.generations.removeAll { generation in
      guard generation.archive == archive, generation.mark != .damaged, generation.mark != .declined else { return false }
      if generation.mark == .offered || generation.mark == .pinned { return false }
      if let prefix = try? prefix(of: generation) { return Self.isOfLaterVersion(prefix) }
      // Limited, because on a disk that no longer returns data every save would add another file.
      unreadable += 1
      return unreadable <= limits.damaged
    }
    return catalog.expendable(of: archive, limits: limits)
  }

  /// Returns the archive prefix of a file; nil if it is damaged or not an archive.
  func prefix(of generation: Generation) throws(FileSystemError) -> ArchivePrefix? {
    let bytes = try folder.readStart(of: generation.fileName, count: ArchivePrefix.byteCount)
    guard bytes.count == ArchivePrefix.byteCount, ArchivePrefix.isIntact(bytes.span) else { return nil }
    return ArchivePrefix(reading: bytes.span)
  }

  private static func isOfLaterVersion(_ prefix: ArchivePrefix) -> Bool {
    prefix.majorVersion != ArchivePrefix.majorVersion || prefix.features != 0
  }
}
