import RestorationArchive

extension RestorationSession {
  /// Restores the whole archive, up to the callbacks of its objects; false if it was refused.
  func run() throws -> Bool {
    isRunning = true
    defer { isRunning = false }
    if let refusal = try decide() {
      self.refusal = refusal
      for index in tree.order { progress[index].outcome = .skipped(.refused) }
      return false
    }
    let all = 1..<tree.order.count
    createObjects(at: all)
    decodeObjects(at: all)
    try decodeApplication()
    finishObjects(at: all)
    return true
  }

  private func decide() throws -> RestorationPolicy.Refusal? {
    if let refusal = options.policy.refusal(of: archive.header, at: options.launch) { return refusal }
    guard let delegate = application?.delegate else { return nil }
    let coder = try applicationDecoder()
    announce(.creating, 0)
    let decision = delegate.shouldRestoreState(from: coder, launch: options.launch)
    return decision == .restore ? nil : RestorationPolicy.Refusal("declined by the delegate", decision: decision)
  }

  private func decodeApplication() throws {
    guard let delegate = application?.delegate else {
      progress[0].outcome = (tree.entries[0].node?.stateByteCount ?? 0) == 0 ? .placeholder : .skipped(.noFactory)
      return
    }
    progress[0].isConsumed = true
    let coder = try applicationDecoder()
    announce(.decoding, 0)
    do {
      try delegate.didDecodeRestorableState(with: coder)
      progress[0].outcome = errors[0] == nil ? .restored : .failed
    } catch {
      fail(0, ErrorText.text(of: error))
    }
  }

  /// Restores an object that registers for a path whose state nobody took, with all below it.
  ///
  /// `isAfterwards` tells that the objects of the session proper were let go already.
  ///
  /// - Returns: What there was for it; nil if there was nothing.
  func restoreLate(_ object: any Restorable, at path: RestorationPath, isAfterwards: Bool) -> RestoredState? {
    guard let index = entry(at: path), isPending(index), progress[index].outcome != .quarantined else { return nil }
    isRunning = true
    defer {
      isRunning = false
      if isAfterwards { release() }
    }
    let positions = tree.entries[index].position..<tree.entries[index].end
    // What was skipped or waits only because of the node above is asked again.
    for position in positions.dropFirst() {
      let below = tree.order[position]
      switch progress[below].outcome {
      case .skipped(.ancestor), .later: progress[below].outcome = nil
      default: break
      }
    }
    progress[index].rule = Self.liveRule
    errors[index] = nil
    bind(object, to: index, isLocated: true)
    createObjects(at: positions.dropFirst())
    decodeObjects(at: positions)
    finishObjects(at: positions)
    let state: RestoredState = progress[index].outcome?.isSuccess == true ? .data : .failed
    if isAfterwards {
      noteUnadopted(at: positions, live: object)
      for position in positions where progress[tree.order[position]].isConsumed { pendingContents[tree.order[position]] = nil }
    }
    return state
  }

  /// Notes objects that a factory made and that nothing holds below `object`.
  private func noteUnadopted(at positions: Range<Int>, live object: any Restorable) {
    var seen: Set<ObjectIdentifier> = []
    LiveWalk.visit([object], seen: &seen) { _ in }
    noteUnadopted(at: positions, live: seen)
  }

  /// Notes objects that a factory made and that are not among the live ones.
  func noteUnadopted(at positions: Range<Int>, live: Set<ObjectIdentifier>) {
    for position in positions {
      let index = tree.order[position]
      guard progress[index].isMade, let object = objects[index], !live.contains(ObjectIdentifier(object)) else {
        continue
      }
      note(.notAdopted, path(of: index), "the object that was made for it is in nobody's restorationChildren, and will not be saved")
    }
  }
}
