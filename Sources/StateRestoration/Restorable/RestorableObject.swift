public import RestorationArchive

/// A base class for restorable objects, with declarations that subclasses can override.
///
///     class Panel: RestorableObject {
///       override class var restorationType: String { "Panel" }
///       @Restored var isOpen = true
///     }
///     final class ColorPanel: Panel {
///       override class var restorationType: String { "ColorPanel" }
///       @Restored var color = "red"
///     }
///
/// Swift looks up the members of a protocol in the class that declares the conformance. If a class conforms to
/// ``Restorable`` directly, its subclasses can only override the members that it declares. Any other member that a
/// subclass declares, such as `restorationType`, is ignored without a warning. A subclass of `RestorableObject` writes
/// `override`, which the compiler checks.
///
/// On the main actor, use ``MainActorRestorableObject``.
open class RestorableObject: Restorable {
  private let identifier: String?

  /// Creates an object.
  ///
  /// - Parameter restorationIdentifier: The identifier among the siblings, 1 to 1,024 bytes. With nil, neither the
  ///   object nor its descendants are saved, unless a subclass overrides ``restorationIdentifier``.
  public init(restorationIdentifier: String? = nil) {
    identifier = restorationIdentifier
  }

  /// The type tag of the class, 1 to 1,024 bytes; empty for none.
  open class var restorationType: String { "" }
  /// The schema version of the state, from 0 to 2^32-1; used only with a type tag.
  open class var restorationSchemaVersion: Int { 0 }
  /// Whether unknown keys of the restored state are preserved in the next save.
  open class var keepsUnknownKeys: Bool { false }
  /// Whether objects of the class report each change of what they save; a subclass that does so overrides it.
  open class var tracksChanges: Bool { false }

  /// The identifier among the siblings; by default, the one passed to the initializer.
  open var restorationIdentifier: String? { identifier }
  /// The children, in restoration order; empty by default.
  open var restorationChildren: [any Restorable] { [] }
  /// The parent of an object that is registered individually or only referenced; nil by default.
  open var restorationParent: (any Restorable)? { nil }
  /// The reference to the object in a provider; nil by default.
  open var restorationProvider: ProviderReference? { nil }
  /// The launch reasons for which the state is restored; all by default.
  open var restorationReasons: Set<RestorationReason> { RestorationReason.all }

  /// Encodes all properties marked with ``Restored``, including those of subclasses.
  ///
  /// An override that encodes additional state must call `super`.
  open func encodeRestorableState(with coder: StateEncoder) throws { try encodeRestoredProperties(with: coder) }
  /// Decodes all properties marked with ``Restored``, including those of subclasses.
  ///
  /// An override that decodes additional state must call `super`.
  open func decodeRestorableState(with coder: StateDecoder) throws { try decodeRestoredProperties(with: coder) }
  /// Does nothing.
  open func applicationFinishedRestoringState(_ state: RestoredState) {}
}

/// A base class for restorable objects of the main actor, with declarations that subclasses can override.
///
/// The counterpart of ``RestorableObject`` on the main actor.
///
///     final class Panel: MainActorRestorableObject {
///       override class var restorationType: String { "Panel" }
///       @Restored var isOpen = true
///     }
@MainActor
open class MainActorRestorableObject: @MainActor Restorable {
  private let identifier: String?

  /// Creates an object.
  ///
  /// - Parameter restorationIdentifier: The identifier among the siblings, 1 to 1,024 bytes. With nil, neither the
  ///   object nor its descendants are saved, unless a subclass overrides ``restorationIdentifier``.
  public init(restorationIdentifier: String? = nil) {
    identifier = restorationIdentifier
  }

  /// The type tag of the class, 1 to 1,024 bytes; empty for none.
  open class var restorationType: String { "" }
  /// The schema version of the state, from 0 to 2^32-1; used only with a type tag.
  open class var restorationSchemaVersion: Int { 0 }
  /// Whether unknown keys of the restored state are preserved in the next save.
  open class var keepsUnknownKeys: Bool { false }
  /// Whether objects of the class report each change of what they save; a subclass that does so overrides it.
  open class var tracksChanges: Bool { false }

  /// The identifier among the siblings; by default, the one passed to the initializer.
  open var restorationIdentifier: String? { identifier }
  /// The children, in restoration order; empty by default.
  open var restorationChildren: [any Restorable] { [] }
  /// The parent of an object that is registered individually or only referenced; nil by default.
  open var restorationParent: (any Restorable)? { nil }
  /// The reference to the object in a provider; nil by default.
  open var restorationProvider: ProviderReference? { nil }
  /// The launch reasons for which the state is restored; all by default.
  open var restorationReasons: Set<RestorationReason> { RestorationReason.all }

  /// Encodes all properties marked with ``Restored``, including those of subclasses.
  ///
  /// An override that encodes additional state must call `super`.
  open func encodeRestorableState(with coder: StateEncoder) throws { try encodeRestoredProperties(with: coder) }
  /// Decodes all properties marked with ``Restored``, including those of subclasses.
  ///
  /// An override that decodes additional state must call `super`.
  open func decodeRestorableState(with coder: StateDecoder) throws { try decodeRestoredProperties(with: coder) }
  /// Does nothing.
  open func applicationFinishedRestoringState(_ state: RestoredState) {}
}
