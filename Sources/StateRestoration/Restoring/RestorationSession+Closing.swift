import RestorationArchive
import Storage

extension RestorationSession {
  /// Marks the entries with an unadopted object: one that is not in the live tree, and was created for its entry or is
  /// below an unadopted entry.
  ///
  /// - Parameters:
  ///   - positions: The entries, by position in preorder.
  ///   - isLive: Whether an object is in the live tree.
  func markUnadopted(at positions: Range<Int>, isLive: (any Restorable) -> Bool) {
    for position in positions {
      let index = state.value.tree.order[position]
      let isBelowUnadopted = state.value.progress[state.value.tree.entries[index].parent].isUnadopted
      guard state.value.progress[index].isMade || isBelowUnadopted, let object = state.value.objects[index], !isLive(object) else {
        continue
      }
      state.value.progress[index].isUnadopted = true
      // An object with a parent is saved if another object refers to it, which is known only when saving.
      if object.restorationParent != nil { continue }
      switch state.value.progress[index].outcome {
      case .restored, .located: state.value.progress[index].outcome = .notAdopted
      default: break
      }
    }
  }

  /// Records the objects that live at or above unclaimed state; that state is discarded when they are closed.
  ///
  /// - Parameters:
  ///   - positions: The entries, by position in preorder.
  ///   - isLive: Whether an object is currently in the live tree.
  func noteResidents(at positions: Range<Int>, isLive: (any Restorable) -> Bool) {
    guard positions.contains(where: { isPending(state.value.tree.order[$0]) }) else { return }
    // Decoding may have replaced objects that were looked up earlier; a replaced object was not closed.
    forgetLookUps()
    var seen: Set<Int> = []
    for position in positions {
      var index = state.value.tree.order[position]
      if !isPending(index) { continue }
      while index > 0, seen.insert(index).inserted {
        // Only an object that is in the tree now can leave it later.
        if let object = state.value.objects[index], isLive(object) {
          noteResident(object, at: index)
        } else if let object = liveObject(atPath: path(of: index), isRegistered: false), isLive(object) {
          // Looked up by path rather than as a child of a bound object: the parent's own node may be unclaimed too.
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

  /// Removes the newly recorded residents that only the restoration kept alive; they were not closed.
  func forgetDeadResidents() {
    for index in newResidents where residents[index]?.object == nil { residents[index] = nil }
    newResidents = []
  }

  /// Discards the state of a single entry.
  func discard(_ index: Int, as reason: RestorationOutcome.Skip) {
    state.value.progress[index].outcome = .skipped(reason)
    state.value.progress[index].rule = Self.noRule
    pendingContents[index] = nil
    errors[index] = nil
  }

  /// Discards the unclaimed state at a path and below it.
  ///
  /// - Returns: Whether there was any.
  func discardPending(at path: RestorationPath) -> Bool {
    // The current path takes precedence: if the target of an alias was taken, both paths have a node.
    guard let index = entry(at: path) ?? entry(atSaved: path), index > 0 else { return false }
    var hasDiscarded = false
    for position in state.value.tree.entries[index].position..<state.value.tree.entries[index].end {
      let index = state.value.tree.order[position]
      // An entry that already has an object is decoded by it.
      guard isPending(index), state.value.objects[index] == nil else { continue }
      discard(index, as: .gone)
      hasDiscarded = true
    }
    return hasDiscarded
  }
}
