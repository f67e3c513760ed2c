/// Tells the files that a store writes from others that lie in its folder.
///
/// The folder is the app's, and anybody can put a file there. Only a whole name that the store itself would give is one of its own; part of
/// one, such as how it begins, is not enough for removing a file.
enum StoreFileName {
  /// Whether the store gives such a name to what it has saved: an archive, a confirmation, the ledger of launches.
  static func isFinished(_ name: String) -> Bool {
    Generation(fileName: name) != nil || Confirmation.isFileName(name) || name == LaunchLedger.fileName
      || name == LaunchLedger.unreadableFileName
  }

  /// Whether the store gives such a name to any file.
  static func isOwn(_ name: String) -> Bool {
    isFinished(name) || isUnfinished(name) || name == Breadcrumb.fileName || name == RestorationStore.lockName
  }

  /// Whether the store gives such a name to a file while it is being written.
  static func isUnfinished(_ name: String) -> Bool {
    guard name.hasPrefix(StoreFolder.temporaryPrefix) else { return false }
    let finished = String(name.dropFirst(StoreFolder.temporaryPrefix.count))
    return Generation(fileName: finished) != nil || finished == LaunchLedger.fileName
  }
}
