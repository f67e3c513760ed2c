public import RestorationArchive

/// An error of a store; earlier saved state is unaffected.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible, SafeToDescribe {
  /// A system call failed.
  case system(FileSystemError)
  /// Another process, identified by the text, is writing to the store.
  case inUse(by: String)
  /// The store was opened for reading only.
  case readingOnly
  /// The bytes are not an archive, or the archive could not be assembled.
  case notAnArchive(ArchiveError)
  /// The generation does not exist.
  case noGeneration(UInt64)
  /// The generation is damaged or of a later version, and cannot be made current; the error is the first finding.
  case unusable(UInt64, ArchiveError)
  /// The offer belongs to a different archive than the one the application was restored as.
  case otherApplication(offered: ArchiveName, restored: ArchiveName)

  /// A one-line description for logs.
  public var description: String {
    switch self {
    case .system(let error): "store: \(error)"
    case .inUse(let holder): "store: in use by \(holder.escapedForDisplay)"
    case .readingOnly: "store: opened for reading"
    case .notAnArchive(let error): "store: not an archive: \(error)"
    case .noGeneration(let number): "store: no generation \(number)"
    case .unusable(let number, let error): "store: generation \(number) cannot be used: \(error)"
    case .otherApplication(let offered, let restored):
      "store: the offer is of \(offered), and the application was restored as \(restored)"
    }
  }
}
