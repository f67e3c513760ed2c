import RestorationArchive
import Storage

extension PreservationRun {
  /// The fate of the object at the path of an entry, or of its nearest ancestor with an object.
  private enum Fate {
    /// The object exists, or never existed.
    case open
    /// The object at the path of this entry existed and has left the tree.
    case closed(Int)
  }

  /// Discards unclaimed state at or below the path of an object that was alive and is no longer in the tree.
  ///
  /// The nearest object decides: unclaimed state below a panel is kept as long as the panel exists, regardless of its
  /// window.
  func discardClosed(in session: RestorationSession) {
    let tree = session.tree
    var fates: [Int: Fate] = [0: .open]
    // The number of the live node at the path of each entry.
    var numbers: [Int: Int?] = [0: -1]
    for index in session.pendingEntries() {
      var way: [Int] = []
      var next = index
      while fates[next] == nil {
        way.append(next)
        next = tree.entries[next].parent
      }
      for entry in way.reversed() {
        let parent = tree.entries[entry].parent
        let number = (numbers[parent] ?? nil).flatMap { self.number(of: tree.entries[entry].identifier, under: $0) }
        numbers[entry] = number
        fates[entry] = fate(of: entry, number, in: session) ?? fates[parent]
      }
      guard case .closed(let entry) = fates[index] else { continue }
      let path = tree.path(of: index)
      session.discard(index, as: .closed)
      report(.discarded, path, "the object at \(tree.path(of: entry).textForDisplay) was closed; its state is dropped")
    }
  }

  /// Returns the fate of the object at the path of an entry; nil if it never existed.
  private func fate(of entry: Int, _ number: Int?, in session: RestorationSession) -> Fate? {
    if let number, let object = state.value.nodes[number].object {
      session.residents[entry] = WeakObject(object: object)
      return .open
    }
    guard let resident = session.residents[entry] else { return nil }
    // An object elsewhere in the tree was moved, not closed.
    if let object = resident.object, self.number(of: object) != nil { return .open }
    return .closed(entry)
  }
}
