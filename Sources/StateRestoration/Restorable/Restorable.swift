public import RestorationArchive

/// An object whose state is restored at the next launch.
///
/// Its restoration identifier and those of its ancestors form its path in the archive. The object encodes its state,
/// and decodes it when it is restored, or when another object is restored in its place:
///
///     final class EditorWindow: Restorable {
///       static let restorationType = "Editor", restorationSchemaVersion = 2
///       let restorationIdentifier: String? = "editor"
///       var restorationChildren: [any Restorable] { [sidebar, document] }
///
///       func encodeRestorableState(with coder: StateEncoder) throws {
///         try coder.encode(scrollOffset, forKey: "scrollOffset")
///         try coder.encode(reference: document, forKey: "front")
///       }
///       func decodeRestorableState(with coder: StateDecoder) throws {
///         scrollOffset = try coder.decode(Double.self, forKey: "scrollOffset", default: 0)
///         front = try coder.decodeReference(forKey: "front")
///       }
///     }
///
/// A class of the main actor conforms with `: @MainActor Restorable`, or with plain `: Restorable` if the default
/// isolation of the target is the main actor. Every requirement except the identifier has a default implementation. The
/// default coding methods encode and decode the properties marked with ``Restored``.
///
/// An actor cannot conform, because the engine calls its objects synchronously. A subclass can only replace members
/// that its superclass also declares; ``RestorableObject`` declares all of them.
public protocol Restorable: AnyObject {
  /// Prevents actors from conforming; requires no implementation.
  static var isRestorableOutsideIsolation: Bool { get }
  /// The type tag in archives: a stable name of your choice, of 1 to 1,024 bytes; empty for none.
  static var restorationType: String { get }
  /// The schema version of the state, from 0 to 2^32-1; used only with a type tag.
  static var restorationSchemaVersion: Int { get }
  /// Whether unknown keys of the restored state are preserved in the next save.
  ///
  /// Unknown keys of a newer schema are always preserved. A key that the object has read is known.
  static var keepsUnknownKeys: Bool { get }

  /// Whether an object reports each change of its saved state, so that a save can skip it if it reports none.
  ///
  /// True is a promise about everything the object gives to a save: what ``encodeRestorableState(with:)`` writes,
  /// ``restorationChildren``, ``restorationIdentifier`` and ``restorationProvider``. Properties marked with ``Restored``
  /// and ``RestoredChildren``, and the ``ObservableRestorable/restoredProperties`` and children of an observable
  /// object, report by themselves. For anything else, the object calls ``setNeedsSave()`` after each change.
  ///
  /// With false, the object is visited at each save. It is encoded unless its class leaves the encoding to ``Restored``
  /// properties of plain values and none was set (``PreservationOptions/encodesOnlyChanges``); only what differs is written.
  static var tracksChanges: Bool { get }

  /// The identifier among the siblings, 1 to 1,024 bytes; with nil, neither the object nor its descendants are saved.
  var restorationIdentifier: String? { get }
  /// The children, in restoration order.
  var restorationChildren: [any Restorable] { get }
  /// The parent of an object that is registered individually or only referenced; nil for the top level.
  var restorationParent: (any Restorable)? { get }
  /// The reference to the object in a provider.
  var restorationProvider: ProviderReference? { get }
  /// The launch reasons for which the state is restored; the object is created or found at every launch.
  ///
  /// State that is not wanted at a launch is not kept: the next save has the object's own. With an empty set, the state is saved and
  /// never decoded.
  var restorationReasons: Set<RestorationReason> { get }

  /// Encodes the state to restore.
  func encodeRestorableState(with coder: StateEncoder) throws
  /// Restores the encoded state.
  ///
  /// Never assume that a key exists: the state may come from an older or a newer build. An error affects only this
  /// object.
  func decodeRestorableState(with coder: StateDecoder) throws
  /// Called on every participating object after all objects are decoded, with the result for that object, which is never
  /// ``RestoredState/pending``; on the thread or actor that restores.
  ///
  /// It is called again for an object whose state is restored later: when an offer or a session is restored into the running
  /// app, or when ``RestorableTree/restoreState(of:)`` or a registration finds state that was waiting.
  func applicationFinishedRestoringState(_ state: RestoredState)
}

// Not `extension Restorable where Self: Actor`: with the main actor as default isolation, that makes every conformance
// in another module a circular reference (Swift 6.3.1).
extension Actor where Self: Restorable {
  /// Unavailable: an actor cannot be restorable.
  @available(
    *, unavailable,
    message: "an actor cannot be Restorable: its state would be read outside its isolation; use a class, of the main actor perhaps"
  )
  public static var isRestorableOutsideIsolation: Bool { false }
}

extension Restorable {
  /// True.
  public static var isRestorableOutsideIsolation: Bool { true }
  /// An empty tag: no type.
  public static var restorationType: String { "" }
  /// Version 0.
  public static var restorationSchemaVersion: Int { 0 }
  /// The type and version with which objects of the class are saved: none and 0 if it has no tag.
  static var savedType: (tag: String?, version: Int) {
    let tag = restorationType
    return tag.isEmpty ? (nil, 0) : (tag, restorationSchemaVersion)
  }
  /// False: unknown keys are discarded.
  public static var keepsUnknownKeys: Bool { false }
  /// False: the object is encoded at each save.
  public static var tracksChanges: Bool { false }
  /// No children.
  public var restorationChildren: [any Restorable] { [] }
  /// Nil: the top level.
  public var restorationParent: (any Restorable)? { nil }
  /// No provider.
  public var restorationProvider: ProviderReference? { nil }
  /// All reasons.
  public var restorationReasons: Set<RestorationReason> { RestorationReason.all }
  /// Encodes the properties marked with ``Restored``.
  public func encodeRestorableState(with coder: StateEncoder) throws { try coder.encodeByDefault(self) }
  /// Decodes the properties marked with ``Restored``.
  public func decodeRestorableState(with coder: StateDecoder) throws { try coder.decodeByDefault(self) }
  /// Does nothing.
  public func applicationFinishedRestoringState(_ state: RestoredState) {}

  /// Reports a change of what the object saves: of its state, its children, its identifier or its provider.
  ///
  /// An ``AppRestoration`` then saves automatically. An object that ``tracksChanges`` must call this for what does
  /// not report by itself; any other may call it instead of ``AppRestoration/setNeedsSave()``. Call it as often as
  /// changes occur, from the thread or actor of the object.
  ///
  /// A change while state is captured, by the code that encodes it, causes one more save. What changes again in that one
  /// is part of the next save that something else causes, or the last one: an app does not save for ever because it
  /// encodes.
  public func setNeedsSave() { UnclaimedChanges.send(ObjectIdentifier(self)) }
}

/// The result of restoring a single object.
public enum RestoredState: String, Sendable {
  /// Not known yet: the state has not arrived, or has not been restored.
  ///
  /// Registering returns it (``RestorableTree/register(_:at:fileID:line:)``); the object is told the result later.
  case pending
  /// No state was saved for the object, another one has claimed it, or the app starts fresh.
  case none
  /// The state was decoded.
  case data
  /// State exists, but was not decoded, or only in part.
  case failed
}

/// An object whose entire state is a single `Codable` value.
///
///     final class Filters: CodableRestorable {
///       let restorationIdentifier: String? = "filters"
///       var restorableState = FilterState()
///     }
public protocol CodableRestorable: Restorable {
  /// The type of the state.
  associatedtype RestorableState: Codable
  /// The entire state of the object; set after decoding.
  var restorableState: RestorableState { get set }
}

extension CodableRestorable {
  /// Encodes the fields of the state.
  public func encodeRestorableState(with coder: StateEncoder) throws { try coder.encodeState(restorableState) }
  /// Decodes the state from its fields; a missing field keeps its current value, but a missing ``Reference`` becomes null.
  public func decodeRestorableState(with coder: StateDecoder) throws {
    restorableState = try coder.decodeState(default: restorableState)
  }
}
