import ArchiveFormat
import RestorationArchive

extension PreservationRun {
  /// What became of the object at the path of an entry, or of the nearest one above it.
  private enum Fate {
    /// It is there, or there was never one.
    case open
    /// The object at this entry's path was there and has left the tree.
    case closed(Int)
  }

  /// Discards state that waits at or below the path of an object that was alive there and is no longer in the tree.
  ///
  /// The nearest object decides: state that waits below a panel stays as long as the panel is there, wherever its window is.
  func discardClosed(in session: RestorationSession) {
    let tree = session.tree
    var fates: [Int: Fate] = [0: .open]
    // By entry: the number of what is at its path.
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

  /// What became of the object at the path of an entry; nil if there was never one.
  private func fate(of entry: Int, _ number: Int?, in session: RestorationSession) -> Fate? {
    if let number, let object = state.value.nodes[number].object {
      session.residents[entry] = WeakObject(object: object)
      return .open
    }
    guard let resident = session.residents[entry] else { return nil }
    // One that is elsewhere in the tree now was moved.
    if let object = resident.object, self.number(of: object) != nil { return .open }
    return .closed(entry)
  }
}
