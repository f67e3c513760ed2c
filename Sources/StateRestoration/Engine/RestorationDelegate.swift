public import RestorationArchive

/// An object that makes the decisions for the app as a whole, at every step.
///
/// Every requirement has a default implementation: save, restore, and encode and decode the properties marked with
/// ``Restored``:
///
///     final class AppDelegate: RestorationDelegate {
///       @Restored var theme = "light"
///     }
///
/// State is also saved and restored without a delegate. Conform in an extension of the class: the compiler then warns of a
/// method whose name nearly matches a requirement, and which would never be called.
///
/// A delegate with its own coding methods calls `encodeRestoredProperties(of:)` and `decodeRestoredProperties(of:)` of
/// the coder there.
///
/// The application state evolves in the same way as the state of objects: a restored property keeps its value if the
/// archive lacks its key, and ``applicationSchemaVersion`` and ``Upgrade`` bring older states up to date.
public protocol RestorationDelegate: AnyObject {
  /// Prevents actors from conforming; requires no implementation.
  static var isDelegateOutsideIsolation: Bool { get }
  /// The schema version of the application state, 0 to 2^32-1; increase it when keys change their meaning.
  var applicationSchemaVersion: Int { get }
  /// Decides whether to save now; called first.
  ///
  /// The delegate may write application state here, which is discarded unless it returns ``SaveDecision/save``.
  func shouldSaveState(to coder: StateEncoder) -> SaveDecision
  /// Encodes the application state, before any object is encoded.
  func willEncodeRestorableState(with coder: StateEncoder) throws
  /// Decides whether to restore, from the header and the application state, before any object is created.
  func shouldRestoreState(from coder: StateDecoder, launch: LaunchContext) -> RestoreDecision
  /// Creates or finds the object for a node without a registered factory; nil continues with the next rule.
  func restorableObject(for node: FactoryRequest) throws -> FactoryResult?
  /// Restores the application state, after all objects have been decoded.
  func didDecodeRestorableState(with coder: StateDecoder) throws
  /// Called when the app starts without restored state.
  func applicationStartsFresh(_ reason: FreshStartReason)
  /// Called when a callback of the app throws during saving or restoring, with the path of the node; the empty path
  /// means the app itself.
  ///
  /// Errors of other packages may quote archived values, so reports contain only their type and coding path. This
  /// method receives the error itself; logging it logs those values.
  func didCatch(_ error: any Error, at path: RestorationPath)
}

extension RestorationDelegate {
  /// True.
  public static var isDelegateOutsideIsolation: Bool { true }
  /// Version 0.
  public var applicationSchemaVersion: Int { 0 }
  /// Saves.
  public func shouldSaveState(to coder: StateEncoder) -> SaveDecision { .save }
  /// Encodes the properties marked with ``Restored``.
  public func willEncodeRestorableState(with coder: StateEncoder) throws { try coder.encodeRestoredProperties(of: self) }
  /// Restores.
  public func shouldRestoreState(from coder: StateDecoder, launch: LaunchContext) -> RestoreDecision { .restore }
  /// Returns nil, which continues with the next rule.
  public func restorableObject(for node: FactoryRequest) throws -> FactoryResult? { nil }
  /// Decodes the properties marked with ``Restored``.
  public func didDecodeRestorableState(with coder: StateDecoder) throws { try coder.decodeRestoredProperties(of: self) }
  /// Does nothing.
  public func applicationStartsFresh(_ reason: FreshStartReason) {}
  /// Does nothing.
  public func didCatch(_ error: any Error, at path: RestorationPath) {}
}

// Not an extension of the protocol, for the same reason as in ``Restorable``.
extension Actor where Self: RestorationDelegate {
  /// Unavailable: an actor cannot be a delegate.
  @available(
    *, unavailable,
    message: "an actor cannot be a RestorationDelegate: it would be called outside its isolation; use a class of the main actor"
  )
  public static var isDelegateOutsideIsolation: Bool { false }
}

/// The decision of a delegate about an upcoming save.
public enum SaveDecision: String, Sendable {
  /// Save.
  case save
  /// Do not save now; keep the previous state.
  case keepPrevious = "keep-previous"
  /// Do not save, and delete the previous state.
  case forget
}
