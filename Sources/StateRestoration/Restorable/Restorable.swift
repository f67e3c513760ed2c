public import RestorationArchive

/// An object whose state comes back at the next launch.
///
/// Its restoration identifier, and those of the objects above it, are its name in the archive. It encodes what it wants to find again, and
/// decodes it when it, or another object in its place, is restored:
///
///     final class EditorWindow: Restorable {
///       static let restorationType = "Editor", restorationSchema = 2
///       let restorationIdentifier: String? = "editor"
///       var restorationChildren: [any Restorable] { [sidebar, document] }
///
///       func encodeRestorableState(with coder: StateEncoder) throws {
///         try coder.encode(scrollOffset, forKey: "scrollOffset")
///         try coder.encode(reference: document, forKey: "front")
///       }
///       func decodeRestorableState(with coder: StateDecoder) throws {
///         scrollOffset = try coder.decode(Double.self, forKey: "scrollOffset", default: 0)
///         front = try coder.decode(reference: "front")
///       }
///     }
///
/// A class of the main actor conforms with `: @MainActor Restorable`, or with plain `: Restorable` where the target has the main actor as its
/// default isolation. Everything but the identifier has a default; properties marked with ``Restored`` are encoded and decoded by it.
///
/// An actor cannot conform, since the engine calls its objects without waiting. The declarations of a subclass count where its superclass
/// declares the same member too; ``RestorableObject`` declares all of them.
public protocol Restorable: AnyObject {
  /// Keeps actors from conforming; there is nothing to implement.
  static var isRestorableOutsideIsolation: Bool { get }
  /// The tag of its type in archives, a name that you choose and keep; empty for none.
  static var restorationType: String { get }
  /// The version of what its state looks like; counts only with a type.
  static var restorationSchema: Int { get }
  /// Whether keys of a restored state that it does not write itself are kept at the next save.
  ///
  /// Those of a state with a newer schema are kept in any case.
  static var keepsUnknownKeys: Bool { get }

  /// Its name among its siblings, 1 to 1,024 bytes; nil leaves it and all below it out.
  var restorationIdentifier: String? { get }
  /// The objects below it, in the order in which they are to come back.
  var restorationChildren: [any Restorable] { get }
  /// The object that it lies under, for one that is registered by itself or only referred to; nil for the top.
  var restorationParent: (any Restorable)? { get }
  /// What tells a declarative provider what to make for it.
  var restorationProvider: ProviderReference? { get }
  /// For which reasons its state is to come back; it is made or found for all.
  var restorationReasons: Set<RestorationReason> { get }

  /// Encodes what it wants to find again.
  func encodeRestorableState(with coder: StateEncoder) throws
  /// Takes over what was encoded.
  ///
  /// Never assume that a key exists: the state may be of an older or a newer build. An error stays with this object.
  func decodeRestorableState(with coder: StateDecoder) throws
  /// Called once all objects were decoded, for each object that takes part, with what there was for it.
  func applicationFinishedRestoringState(_ state: RestoredState)
}

// Not `extension Restorable where Self: Actor`: with the main actor as default isolation, every conformance in another module would then be
// a circular reference (Swift 6.3.1).
extension Actor where Self: Restorable {
  /// Not available: an actor cannot be restorable.
  @available(
    *, unavailable,
    message: "an actor cannot be Restorable: its state would be read outside its isolation; use a class, of the main actor perhaps"
  )
  public static var isRestorableOutsideIsolation: Bool { false }
}

extension Restorable {
  /// True.
  public static var isRestorableOutsideIsolation: Bool { true }
  /// No type.
  public static var restorationType: String { "" }
  /// Version 0.
  public static var restorationSchema: Int { 0 }
  /// Unknown keys go.
  public static var keepsUnknownKeys: Bool { false }
  /// Nothing below it.
  public var restorationChildren: [any Restorable] { [] }
  /// The top.
  public var restorationParent: (any Restorable)? { nil }
  /// No provider.
  public var restorationProvider: ProviderReference? { nil }
  /// All reasons.
  public var restorationReasons: Set<RestorationReason> { RestorationReason.all }
  /// Encodes the properties that are marked with ``Restored``.
  public func encodeRestorableState(with coder: StateEncoder) throws { try encodeRestoredProperties(with: coder) }
  /// Decodes the properties that are marked with ``Restored``.
  public func decodeRestorableState(with coder: StateDecoder) throws { try decodeRestoredProperties(with: coder) }
  /// Does nothing.
  public func applicationFinishedRestoringState(_ state: RestoredState) {}
}
