public import RestorationArchive

/// Decides for the app as a whole, and has its say at every step.
///
/// Everything has a default: save, restore, and encode and decode the properties that are marked with ``Restored``:
///
///     final class AppDelegate: RestorationDelegate {
///       @Restored var theme = "light"
///     }
///
/// Without a delegate the state is saved and restored too.
///
/// One that encodes more by itself calls `encodeRestoredProperties(of:)` and `decodeRestoredProperties(of:)` of the coder.
///
/// The application state evolves as the states of objects do: a key that the archive does not have leaves a restored property as it is,
/// ``applicationSchema`` and ``Upgrade`` bring older states to the form of today.
public protocol RestorationDelegate: AnyObject {
  /// Keeps actors from conforming; there is nothing to implement.
  static var isDelegateOutsideIsolation: Bool { get }
  /// The version of what the application state looks like, 0 to 2^32-1; count it up when keys change their meaning.
  var applicationSchema: Int { get }
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
  /// A callback of the app threw while state was saved or restored: for the node at a path, or for the app itself at the empty one.
  ///
  /// Reports tell an error that is not of this package by its type and coding path alone, because it may quote archived values. This is the
  /// error itself; whoever logs it, logs what it quotes.
  func didCatch(_ error: any Error, at path: RestorationPath)
}

extension RestorationDelegate {
  /// True.
  public static var isDelegateOutsideIsolation: Bool { true }
  /// Version 0.
  public var applicationSchema: Int { 0 }
  /// Saves.
  public func shouldSaveState(to coder: StateEncoder) -> SaveDecision { .save }
  /// Encodes the properties that are marked with ``Restored``.
  public func willEncodeRestorableState(with coder: StateEncoder) throws { try coder.encodeRestoredProperties(of: self) }
  /// Restores.
  public func shouldRestoreState(from coder: StateDecoder, launch: RestorationLaunch) -> RestoreDecision { .restore }
  /// Knows no object.
  public func restorableObject(for node: FactoryRequest) throws -> FactoryAnswer? { nil }
  /// Decodes the properties that are marked with ``Restored``.
  public func didDecodeRestorableState(with coder: StateDecoder) throws { try coder.decodeRestoredProperties(of: self) }
  /// Does nothing.
  public func applicationStartsFresh(_ reason: FreshStartReason) {}
  /// Does nothing.
  public func didCatch(_ error: any Error, at path: RestorationPath) {}
}

// Not an extension of the protocol, for the reason given for ``Restorable``.
extension Actor where Self: RestorationDelegate {
  /// Not available: an actor cannot be a delegate.
  @available(
    *, unavailable,
    message: "an actor cannot be a RestorationDelegate: it would be called outside its isolation; use a class of the main actor"
  )
  public static var isDelegateOutsideIsolation: Bool { false }
}
