public import RestorationArchive

extension RestorableTree {
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
  /// - Returns: The outcome of each node; nil if the app starts, or has started, without the state.
  /// - Throws: ``RestorationError`` as ``restore(from:with:options:)`` does, and if the app does not wait for its state.
  @discardableResult
  public func deliver(
    _ archive: ArchiveReader?, with resolver: Resolver, options: RestorationOptions = RestorationOptions()
  ) throws -> RestorationReport? {
    guard condition != .undecided else { throw RestorationError(.wrongTime, "the app does not wait for its state") }
    guard condition == .pending else { return nil }
    if deferredPreservation != nil {
      condition = .fresh
      finishAllObjects()
      return nil
    }
    guard let archive else {
      try startFresh(.nothingSaved)
      return nil
    }
    return try restore(from: archive, with: resolver, options: options)
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
  /// - Returns: The report of ``deliver(_:with:options:)``.
  /// - Throws: The error of `read`, after which the app is still waiting; ``RestorationError`` as
  ///   ``restore(from:with:options:)`` does.
  @discardableResult
  nonisolated(nonsending) public func restore(
    with resolver: Resolver, options: RestorationOptions = RestorationOptions(), reading read: () async throws -> ArchiveReader?
  ) async throws -> RestorationReport? {
    if condition == .undecided { try awaitState() }
    let archive = try await read()
    return try deliver(archive, with: resolver, options: options)
  }
}
