public import RestorationArchive

/// Why a store could not do what it was asked to; what was saved before is still there.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible, SafeToDescribe {
  /// The system refused.
  case system(FileSystemError)
  /// Another process writes to the store: what it says of itself.
  case inUse(by: String)
  /// The store was opened for reading.
  case readingOnly
  /// What was to be saved is no archive, or cannot be put together to one.
  case notAnArchive(ArchiveError)
  /// There is no such generation.
  case noGeneration(UInt64)
  /// The generation is damaged, or of a later version, so that it cannot be made current: what is wrong with it first.
  case unusable(UInt64, ArchiveError)
  /// An offer was to be accepted into an application that was restored as another archive.
  case otherApplication(offered: ArchiveName, restored: ArchiveName)

  /// One line for logs.
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
