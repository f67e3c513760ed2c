import ArchiveFormat
import RestorationArchive

extension RestorationSession {
  /// Marks the entries whose object was made for them, or belongs to one that was, and is in nobody's children.
  ///
  /// - Parameters:
  ///   - positions: The entries, by position in preorder.
  ///   - isLive: Whether an object is in the tree of live objects.
  func markUnadopted(at positions: Range<Int>, isLive: (any Restorable) -> Bool) {
    for position in positions {
      let index = state.value.tree.order[position]
      let isBelowUnadopted = state.value.progress[state.value.tree.entries[index].parent].isUnadopted
      guard state.value.progress[index].isMade || isBelowUnadopted, let object = state.value.objects[index], !isLive(object) else {
        continue
      }
      state.value.progress[index].isUnadopted = true
      // An object that names its parent is saved where another object refers to it, which only saving finds out.
      if object.restorationParent != nil { continue }
      switch state.value.progress[index].outcome {
      case .restored, .located: state.value.progress[index].outcome = .notAdopted
      default: break
      }
    }
  }

  /// Notes which objects live at or above state that nobody took: when they are closed, that state is discarded.
  ///
  /// - Parameters:
  ///   - positions: The entries, by position in preorder.
  ///   - isLive: Whether an object is in the tree of live objects now.
  func noteResidents(at positions: Range<Int>, isLive: (any Restorable) -> Bool) {
    guard positions.contains(where: { isPending(state.value.tree.order[$0]) }) else { return }
    // What was looked up before objects were decoded may have been replaced by that, and nobody has closed it.
    forgetLookUps()
    var seen: Set<Int> = []
    for position in positions {
      var index = state.value.tree.order[position]
      if !isPending(index) { continue }
      while index > 0, seen.insert(index).inserted {
        // An object that is not in the tree now cannot leave it.
        if let object = state.value.objects[index], isLive(object) {
          noteResident(object, at: index)
        } else if let object = liveObject(atPath: path(of: index), isRegistered: false), isLive(object) {
          // By its path, not as a child of a bound object: state can wait below an object whose own node waits too.
          noteResident(object, at: index)
        }
        index = state.value.tree.entries[index].parent
      }
    }
  }

  private func noteResident(_ object: any Restorable, at index: Int) {
    residents[index] = WeakObject(object: object)
    newResidents.insert(index)
  }

  /// Forgets those that were noted last and that only restoring has kept alive: nobody closes them.
  func forgetDeadResidents() {
    for index in newResidents where residents[index]?.object == nil { residents[index] = nil }
    newResidents = []
  }

  /// Discards the state of an entry, and no other.
  func discard(_ index: Int, as reason: RestorationOutcome.Skip) {
    state.value.progress[index].outcome = .skipped(reason)
    state.value.progress[index].rule = Self.noRule
    pendingContents[index] = nil
    errors[index] = nil
  }

  /// Discards the state that waits at a path and below it.
  ///
  /// - Returns: Whether there was any.
  func discardPending(at path: RestorationPath) -> Bool {
    // A present path comes first: behind an alias whose new path was taken there are two nodes.
    guard let index = entry(at: path) ?? entry(atSaved: path), index > 0 else { return false }
    var hasDiscarded = false
    for position in state.value.tree.entries[index].position..<state.value.tree.entries[index].end {
      let index = state.value.tree.order[position]
      // What has an object already is decoded by it.
      guard isPending(index), state.value.objects[index] == nil else { continue }
      discard(index, as: .gone)
      hasDiscarded = true
    }
    return hasDiscarded
  }
}
