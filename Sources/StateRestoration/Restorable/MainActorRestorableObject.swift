public import RestorationArchive

/// A base class for restorable objects of the main actor, whose declarations subclasses can override.
///
/// It is what ``RestorableObject`` is for objects of no actor.
///
///     final class Panel: MainActorRestorableObject {
///       override class var restorationType: String { "Panel" }
///       @Restored var isOpen = true
///     }
@MainActor
open class MainActorRestorableObject: @MainActor Restorable {
  private let identifier: String?

  /// Makes an object.
  ///
  /// - Parameter restorationIdentifier: Its name among its siblings, 1 to 1,024 bytes; nil leaves it and all below it out, unless a subclass
  ///   overrides ``restorationIdentifier``.
  public init(restorationIdentifier: String? = nil) {
    identifier = restorationIdentifier
  }

  /// The tag of its type; empty for none.
  open class var restorationType: String { "" }
  /// The version of what its state looks like; counts only with a type.
  open class var restorationSchema: Int { 0 }
  /// Whether keys of a restored state that it does not write itself are kept at the next save.
  open class var keepsUnknownKeys: Bool { false }

  /// Its name among its siblings: the one that it was made with.
  open var restorationIdentifier: String? { identifier }
  /// The objects below it, in the order in which they are to come back: none.
  open var restorationChildren: [any Restorable] { [] }
  /// The object that it lies under, for one that is registered by itself or only referred to: none.
  open var restorationParent: (any Restorable)? { nil }
  /// What tells a declarative provider what to make for it: nothing.
  open var restorationProvider: ProviderReference? { nil }
  /// For which reasons its state is to come back: all.
  open var restorationReasons: Set<RestorationReason> { RestorationReason.all }

  /// Encodes the properties that are marked with ``Restored``, those of subclasses included.
  ///
  /// An override that encodes more calls `super`.
  open func encodeRestorableState(with coder: StateEncoder) throws { try encodeRestoredProperties(with: coder) }
  /// Decodes the properties that are marked with ``Restored``, those of subclasses included.
  ///
  /// An override that decodes more calls `super`.
  open func decodeRestorableState(with coder: StateDecoder) throws { try decodeRestoredProperties(with: coder) }
  /// Does nothing.
  open func applicationFinishedRestoringState(_ state: RestoredState) {}
}
