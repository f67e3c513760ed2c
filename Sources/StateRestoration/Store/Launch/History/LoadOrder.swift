extension [Generation] {
  /// Returns the files of an archive that may be restored, in the order in which a launch tries them: newest first.
  ///
  /// A file marked as an offer is still current if nothing newer was saved, unless the ledger records it as an offer. A mark may
  /// exclude a file, and does not change its position.
  func candidates(for archive: ArchiveName, _ ledger: LaunchLedger) -> [Generation] {
    let own = filter { $0.archive == archive }.sorted(by: >)
    let closed = own.first { $0.mark == .closed }?.number ?? 0
    let newest = own.first { $0.mark == .none || $0.mark == .pinned || $0.mark == .frozen }?.number ?? 0
    return own.filter { generation in
      // A closed scene is not restored, whatever was saved before.
      guard generation.number > closed else { return false }
      return switch generation.mark {
      case .none, .pinned, .frozen: true
      case .offered: generation.number > newest && ledger.offer(generation.number, of: archive) == nil
      case .declined, .damaged, .closed: false
      }
    }
  }
}

extension GenerationCatalog {
  /// Returns the files that may be restored, in the order in which they are tried: newest first.
  func candidates(for archive: ArchiveName, _ ledger: LaunchLedger) -> [Generation] { generations.candidates(for: archive, ledger) }
}
