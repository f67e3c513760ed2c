public import RestorationArchive

extension RestorableApplication {
  /// Discards the state that waits at a path, and all that waits below it: the thing that it stood for no longer exists.
  ///
  /// Call it when a document is deleted, or a tab closed, for which no object was made at this launch. State that an object has taken is not
  /// affected: it goes when that object is closed. A factory that knows already while the app is restored answers ``FactoryAnswer/gone``.
  ///
  /// - Parameter path: The path, before or after aliases.
  /// - Returns: Whether any state waited there.
  @discardableResult
  public func discardState(at path: RestorationPath) -> Bool {
    session?.discardPending(at: path) ?? false
  }
}
