import RestorationArchive

extension RestorableApplication {
  /// Records the encoding of live objects at quarantined paths, before the user can change them.
  ///
  /// If `newcomer` is given, only that object and its descendants are considered: others may have changed since
  /// restoring ended.
  func noteQuarantinedObjects(_ session: RestorationSession, newcomer: (any Restorable)? = nil) {
    guard !session.quarantine.isEmpty else { return }
    let capture = Capture(self, header: ArchiveHeader(), options: PreservationOptions())
    guard (try? capture.walk()) != nil else { return }
    for (index, entry) in session.quarantine.sorted(by: { $0.key < $1.key }) {
      guard case .absent = entry.baseline else { continue }
      if index == 0, newcomer == nil {
        if delegate != nil { session.quarantine[0]?.baseline = .encoded(capture.digestOfApplicationState()) }
      } else if let number = capture.tree.number(at: session.path(of: index)),
        newcomer.map({ capture.tree.isNode(number, below: $0) }) ?? true
      {
        session.quarantine[index]?.baseline = .encoded(capture.digest(ofLiveNode: number))
      }
    }
  }
}
