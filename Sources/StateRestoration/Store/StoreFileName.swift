/// Classifies file names as the store's own or foreign.
///
/// The folder belongs to the app, and any process can add files. Only a complete name that the store itself would give
/// is its own: a prefix alone does not justify removing a file.
package enum StoreFileName {
  /// Whether the store uses this name for saved content: an archive, a link, a confirmation, a launch ledger.
  static func isFinished(_ name: String) -> Bool {
    Generation(fileName: name) != nil || GenerationLink(fileName: name) != nil || Confirmation.isFileName(name)
      || isLedger(name)
  }

  /// Whether the store uses this name for its record of launches, which is an archive too.
  package static func isLedger(_ name: String) -> Bool { name == LaunchLedger.fileName || name == LaunchLedger.unreadableFileName }

  /// Whether the store uses this name for any file.
  static func isOwn(_ name: String) -> Bool {
    isFinished(name) || isUnfinished(name) || name == ProgressFile.fileName || name == RestorationStore.lockName
      || name == SaveGroup.fileName
  }

  /// Whether the store uses this name for a file that is being written.
  static func isUnfinished(_ name: String) -> Bool {
    guard name.hasPrefix(StoreFolder.temporaryPrefix) else { return false }
    let finished = String(name.dropFirst(StoreFolder.temporaryPrefix.count))
    return Generation(fileName: finished) != nil || GenerationLink(fileName: finished) != nil
      || finished == LaunchLedger.fileName || finished == SaveGroup.fileName
  }
}
