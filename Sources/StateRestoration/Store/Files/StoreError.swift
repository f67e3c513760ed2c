public import RestorationArchive
import SystemLibrary

/// An error of a store; earlier saved state is unaffected.
public enum StoreError: Error, Sendable, Hashable, CustomStringConvertible, SafeToDescribe {
  /// A system call failed.
  case system(FileSystemError)
  /// Another process, or another part of this one, is writing to the store; the text says which, and what to do.
  case inUse(by: String)
  /// The store was opened for reading only.
  case readingOnly
  /// The storage is not accessible at this moment (``AppConfiguration/isStorageAvailable``); nothing has changed.
  case inaccessible
  /// The bytes are not an archive, or the archive could not be assembled.
  case notAnArchive(ArchiveError)
  /// The generation does not exist.
  case noGeneration(UInt64)
  /// The generation is damaged or of a later version, and cannot be made current; the error is the first finding.
  case unusable(UInt64, ArchiveError)
  /// The offer of this generation was accepted or declined before.
  case alreadyAnswered(UInt64, isAccepted: Bool)
  /// Accepted offers of this archive have ended the process twice in a row: accept it again only if the user says so.
  case diedTwice(UInt64)
  /// The offer belongs to a different archive than the one the tree was restored as.
  case otherArchive(offered: ArchiveName, restored: ArchiveName)

  /// A one-line description for logs.
  public var description: String {
    switch self {
    case .system(let error): "store: \(error)"
    case .inUse(let holder): "store: in use by \(holder.escapedForDisplay)"
    case .readingOnly: "store: opened for reading"
    case .inaccessible: "store: the storage is not accessible at this moment; try again once it is"
    case .notAnArchive(let error): "store: not an archive: \(error)"
    case .noGeneration(let number): "store: no generation \(number)"
    case .unusable(let number, let error): "store: generation \(number) cannot be used: \(error)"
    case .alreadyAnswered(let number, isAccepted: true): "store: the offer of generation \(number) was accepted before"
    case .alreadyAnswered(let number, isAccepted: false):
      "store: the offer of generation \(number) was declined before (`restoration store --use \(number)` makes it current)"
    case .diedTwice(let number): "store: generation \(number) was accepted before, and accepting has ended the process twice in a row"
    case .otherArchive(let offered, let restored):
      "store: the offer is of \(offered), and the application was restored as \(restored)"
    }
  }
}

/// Runs system calls of a store; throws an error of the store.
func system<Result>(_ body: () throws(FileSystemError) -> Result) throws(StoreError) -> Result {
  do throws(FileSystemError) {
    return try body()
  } catch {
    throw .system(error)
  }
}

/// Works with an archive; throws an error of the store.
func wrappingErrors<Result>(_ body: () throws(ArchiveError) -> Result) throws(StoreError) -> Result {
  do throws(ArchiveError) {
    return try body()
  } catch {
    throw .notAnArchive(error)
  }
}

/// A failed system call of a store.
public struct FileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The operation that failed.
  package enum Operation: String, Sendable, CaseIterable {
    /// Creating the folder of the store.
    case makeFolder = "making the folder"
    /// Listing the names in the folder.
    case list = "listing the folder"
    /// Opening a file.
    case open = "opening"
    /// Reading the length or kind of a file.
    case examine = "examining"
    /// Reading bytes from a file.
    case read = "reading"
    /// Writing bytes to a file.
    case write = "writing"
    /// Flushing the content of a file to disk.
    case flush = "flushing"
    /// Renaming a file.
    case rename = "renaming"
    /// Removing a file.
    case remove = "removing"
    /// Flushing file names to disk.
    case flushFolder = "flushing the folder"
    /// Locking out other writers.
    case lock = "locking"
  }

  /// The operation that failed.
  package let operation: Operation
  /// The system's error number (`errno`).
  public let code: Int32
  /// The last component of the path.
  public let name: String
  /// The last component of the path of the folder that the file is in.
  let folder: String
  /// The kind of file at the path, if it is not a regular file and that is the reason.
  package let foreignKind: FileKind?

  /// Creates an error; only the last two components of `path` are kept, so that logs reveal little of the user's folders.
  package init(_ operation: Operation, code: Int32, path: String) {
    self.operation = operation
    self.code = code
    (folder, name) = Self.names(path)
    foreignKind =
      switch (operation, code) {
      case (.open, EISDIR): .folder
      case (.open, ELOOP): .link
      case (.open, ENXIO): .other
      default: nil
      }
  }

  /// Creates an error about a path that is not a regular file.
  init(opening kind: FileKind, path: String) {
    operation = .open
    code = kind == .folder ? EISDIR : EINVAL
    (folder, name) = Self.names(path)
    foreignKind = kind
  }

  private static func names(_ path: String) -> (folder: String, name: String) {
    let names = path.split(separator: "/").suffix(2).map(String.init)
    return (names.count > 1 ? names[0] : "", names.last ?? path)
  }

  /// A one-line description, safe to log: operation, file, folder and reason.
  public var description: String {
    let isOfFolder = [.makeFolder, .list, .flushFolder].contains(operation)
    let place = isOfFolder || folder.isEmpty ? "" : " in \(folder.escapedForDisplay)"
    let words = unsafe String(cString: strerror(code)).lowercased()
    // A file that is being written has its own name only when it is complete.
    let isUnfinished = operation != .remove && name.hasPrefix(StoreFolder.temporaryPrefix)
    let file = isUnfinished ? name.dropFirst(StoreFolder.temporaryPrefix.count) : name[...]
    return "\(operation.rawValue) \(String(file).escapedForDisplay)\(place): \(foreignKind.map { "is \($0.words)" } ?? words)"
  }

  /// Whether a signal interrupted the call, which can be retried.
  var isInterruption: Bool { code == EINTR }
  /// Whether nothing exists at the path.
  var isAbsence: Bool { code == ENOENT }
  /// Whether the process lacks permission.
  var isRefusal: Bool { code == EACCES || code == EPERM }
  /// Whether there is no room for more.
  var isFullDisk: Bool { [ENOSPC, EDQUOT].contains(code) }
  /// Whether writing is impossible for now, although the folder may well be read.
  var preventsWriting: Bool { isRefusal || isTransient || isFullDisk || code == EROFS || hasNoLocks }
  /// Whether the file system has no locks, without which nothing is written.
  private var hasNoLocks: Bool { operation == .lock && (isUnsupported || code == ENOLCK || code == EOPNOTSUPP) }
  /// Whether the same call may succeed a moment later: a device reports an error, or the system is short of something.
  var isTransient: Bool { [EIO, EMFILE, ENFILE, ENOMEM, EAGAIN].contains(code) }
  /// Whether the file system does not support the operation; some cannot flush folders.
  var isUnsupported: Bool { code == EINVAL || code == ENOTSUP || code == ENOSYS }
}
