import RestorationArchive

extension RestorableApplication {
  /// Records the encoding of live objects at quarantined paths, before the user can change them.
  ///
  /// If `newcomer` is given, only that object and its descendants are considered: others may have changed since
  /// restoring ended.
  func noteQuarantinedObjects(_ session: RestorationSession, newcomer: (any Restorable)? = nil) {
    guard !session.quarantine.isEmpty else { return }
    let run = PreservationRun(self, header: ArchiveHeader(), options: PreservationOptions())
    guard (try? run.walk()) != nil else { return }
    for (index, entry) in session.quarantine.sorted(by: { $0.key < $1.key }) {
      guard case .absent = entry.baseline else { continue }
      if index == 0, newcomer == nil {
        if delegate != nil { session.quarantine[0]?.baseline = .encoded(run.digestOfApplicationState()) }
      } else if let number = run.number(at: session.path(of: index)), newcomer.map({ run.isNode(number, below: $0) }) ?? true {
        session.quarantine[index]?.baseline = .encoded(run.digest(ofLiveNode: number))
      }
    }
  }
}
