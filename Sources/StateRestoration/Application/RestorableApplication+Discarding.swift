public import RestorationArchive

extension RestorableApplication {
  /// Discards the unclaimed state at a path and below it, because its subject no longer exists.
  ///
  /// Call this when the user deletes a document, or closes a tab, for which no object was created at this launch.
  /// Claimed state is not affected; it is dropped when its object is closed. A factory that already knows this during
  /// restoration returns ``FactoryResult/gone``.
  ///
  /// - Parameter path: The path, before or after aliases.
  /// - Returns: Whether there was any unclaimed state.
  @discardableResult
  public func discardState(at path: RestorationPath) -> Bool {
    session?.discardPending(at: path) ?? false
  }
}
