public import RestorationArchive

extension RestorableApplication {
  /// Says that the state cannot be had yet: the device is locked, a disk is not mounted.
  ///
  /// The app may be shown and used. What is saved meanwhile is held in ``heldPreservation``, the newest only.
  ///
  /// - Throws: ``RestorationError`` if it was decided already what becomes of the saved state.
  public func awaitState() throws {
    guard condition == .undecided, !isBusy else {
      throw RestorationError(.wrongTime, "only an app that has not started waits for its state")
    }
    condition = .pending
  }

  /// Hands over the state that was waited for, or says that there is none.
  ///
  /// It is restored only if the app has neither started fresh nor saved something newer meanwhile.
  ///
  /// - Throws: ``RestorationError`` as ``restore(from:with:options:)`` does.
  public func deliver(
    _ archive: ArchiveReader?, with resolver: Resolver, options: RestorationOptions = RestorationOptions()
  ) throws -> StateDelivery {
    guard condition == .pending else {
      return .ignored(condition == .undecided ? "the app does not wait for its state" : "the app has started without it")
    }
    if heldPreservation != nil {
      condition = .fresh
      finishPending()
      return .ignored("newer state was saved meanwhile")
    }
    guard let archive else {
      try startFresh(.nothingSaved)
      return .none
    }
    return .restored(try restore(from: archive, with: resolver, options: options))
  }

  /// What was held while the state was pending, and may be written now; it is handed over once.
  public func takeHeldPreservation() -> Preservation? {
    if condition == .pending { return nil }
    defer { heldPreservation = nil }
    var held = heldPreservation
    held?.isHeld = false
    return held
  }

  /// Restores an archive that is read asynchronously; saves are held until it is there.
  ///
  /// Reading may go to another thread: only the archive comes back. Everything else happens on the caller's actor.
  ///
  /// - Parameters:
  ///   - resolver: Says which object is restored for which node.
  ///   - options: How to restore.
  ///   - read: Reads what was saved; nil if there is nothing.
  /// - Returns: What came of it.
  /// - Throws: What `read` throws, the app then waits on; ``RestorationError`` as ``restore(from:with:options:)`` does.
  nonisolated(nonsending) public func restore(
    with resolver: Resolver, options: RestorationOptions = RestorationOptions(), reading read: () async throws -> ArchiveReader?
  ) async throws -> StateDelivery {
    if condition == .undecided { try awaitState() }
    let archive = try await read()
    return try deliver(archive, with: resolver, options: options)
  }

  private func finishPending() {
    var seen = IdentityTable()
    var objects: [any Restorable] = []
    LiveWalk.visit(roots + registeredObjects, seen: &seen) { objects.append($0) }
    for object in objects { object.applicationFinishedRestoringState(.none) }
  }
}
