public import RestorationArchive

/// Decides for the app as a whole, and has its say at every step.
///
/// Everything has a default: save, restore, nothing more.
public protocol RestorationDelegate: AnyObject {
  /// Whether the state is to be saved now; called first.
  ///
  /// It may write to the application state; on any answer but ``SaveDecision/save`` that is discarded.
  func shouldSaveState(to coder: StateEncoder) -> SaveDecision
  /// Encodes the application state, before any object is asked.
  func willEncodeRestorableState(with coder: StateEncoder) throws
  /// Whether the state is to be restored; sees the header and the application state before any object is made.
  func shouldRestoreState(from coder: StateDecoder, launch: RestorationLaunch) -> RestoreDecision
  /// Makes or finds the object for a node that no factory is registered for; nil goes on to the other ways.
  func restorableObject(for node: FactoryRequest) throws -> FactoryAnswer?
  /// Takes over the application state, when all objects have been decoded.
  func didDecodeRestorableState(with coder: StateDecoder) throws
  /// The app starts without restored state.
  func applicationStartsFresh(_ reason: FreshStartReason)
}

extension RestorationDelegate {
  /// Saves.
  public func shouldSaveState(to coder: StateEncoder) -> SaveDecision { .save }
  /// Encodes nothing.
  public func willEncodeRestorableState(with coder: StateEncoder) throws {}
  /// Restores.
  public func shouldRestoreState(from coder: StateDecoder, launch: RestorationLaunch) -> RestoreDecision { .restore }
  /// Knows no object.
  public func restorableObject(for node: FactoryRequest) throws -> FactoryAnswer? { nil }
  /// Decodes nothing.
  public func didDecodeRestorableState(with coder: StateDecoder) throws {}
  /// Does nothing.
  public func applicationStartsFresh(_ reason: FreshStartReason) {}
}
