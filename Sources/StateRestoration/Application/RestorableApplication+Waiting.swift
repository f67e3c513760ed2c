public import RestorationArchive

extension RestorableApplication {
  /// Marks the saved state as not available yet, for example because the device is locked or a disk is not mounted.
  ///
  /// The app can be shown and used in the meantime. Saves are deferred; ``takeDeferredPreservation()`` returns the
  /// newest.
  ///
  /// - Throws: ``RestorationError`` if the app has already restored or started fresh.
  public func awaitState() throws {
    guard condition == .undecided, !isBusy else {
      throw RestorationError(.wrongTime, "only an app that has not started waits for its state")
    }
    condition = .pending
  }

  /// Delivers the awaited state, or nil if there is none.
  ///
  /// The state is restored only if the app has neither started fresh nor saved newer state in the meantime.
  ///
  /// - Throws: ``RestorationError`` as ``restore(from:with:options:)`` does.
  public func deliver(
    _ archive: ArchiveReader?, with resolver: Resolver, options: RestorationOptions = RestorationOptions()
  ) throws -> StateDelivery {
    guard condition == .pending else {
      return .ignored(condition == .undecided ? "the app does not wait for its state" : "the app has started without it")
    }
    if deferredPreservation != nil {
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

  /// Returns the deferred save once it may be written, and clears it.
  public func takeDeferredPreservation() -> Preservation? {
    if condition == .pending { return nil }
    defer { deferredPreservation = nil }
    var deferred = deferredPreservation
    deferred?.isDeferred = false
    return deferred
  }

  /// Restores an archive that is read asynchronously; saves are deferred until it arrives.
  ///
  /// Reading may happen on another thread, since only the archive is returned. Everything else runs on the caller's
  /// actor.
  ///
  /// - Parameters:
  ///   - resolver: Decides which object is restored for each node.
  ///   - options: The restoration options.
  ///   - read: Reads the saved archive; returns nil if there is none.
  /// - Returns: The result of the delivery.
  /// - Throws: The error of `read`, after which the app is still waiting; ``RestorationError`` as
  ///   ``restore(from:with:options:)`` does.
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

/// The result of delivering awaited state.
public enum StateDelivery: Sendable {
  /// The state was restored.
  case restored(RestorationReport)
  /// There is no state; the app has started fresh.
  case none
  /// The state arrived too late: the app had started fresh, or newer state had been saved.
  case ignored(String)
}
