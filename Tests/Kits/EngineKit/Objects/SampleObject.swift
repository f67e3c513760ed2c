public import StateRestoration

/// A restorable object whose behavior tests can replace.
open class SampleObject: Restorable {
  /// The type tag: none.
  open class var restorationType: String { "" }
  /// The schema version: 0.
  open class var restorationSchemaVersion: Int { 0 }
  /// Whether unknown keys are preserved: no.
  open class var keepsUnknownKeys: Bool { false }

  /// The identifier among its siblings.
  public var restorationIdentifier: String?
  /// The child objects: ``children``.
  public var restorationChildren: [any Restorable] { children }
  /// The parent object: ``parent``.
  public var restorationParent: (any Restorable)? { parent }
  /// The provider reference.
  public var restorationProvider: ProviderReference?
  /// The reasons for which the object is restored.
  public var restorationReasons: Set<RestorationReason> = RestorationReason.all

  /// The child objects.
  public var children: [any Restorable]
  /// The parent, for an object that is in no list of children.
  public weak var parent: (any Restorable)?
  /// The state.
  public var values: [String: Int]
  /// The states passed to it when restoring finished.
  public private(set) var finished: [RestoredState] = []
  /// Encodes instead of ``values``.
  public var encoding: ((StateEncoder) throws -> Void)?
  /// Decodes instead of ``values``.
  public var decoding: ((StateDecoder) throws -> Void)?
  /// The log of its calls.
  public var log: CallLog?

  /// Creates an object.
  public required init(
    _ identifier: String?, values: [String: Int] = [:], children: [any Restorable] = [], log: CallLog? = nil
  ) {
    restorationIdentifier = identifier
    self.values = values
    self.children = children
    self.log = log
  }

  /// Logs the call and encodes ``values``, or calls ``encoding``.
  open func encodeRestorableState(with coder: StateEncoder) throws {
    log?.note("encode \(PlainText.text(coder.path))")
    if let encoding { return try encoding(coder) }
    for (key, value) in values { try coder.encode(value, forKey: key) }
  }

  /// Logs the call and decodes ``values``, or calls ``decoding``.
  open func decodeRestorableState(with coder: StateDecoder) throws {
    log?.note("decode \(PlainText.text(coder.path))")
    if let decoding { return try decoding(coder) }
    for key in coder.allKeys { values[key] = try coder.decode(Int.self, forKey: key) }
  }

  /// Logs the call and records `state`.
  open func applicationFinishedRestoringState(_ state: RestoredState) {
    log?.note("finish \(PlainText.text(restorationIdentifier ?? "-")) \(state.rawValue)")
    finished.append(state)
  }
}

/// An object with a type.
public final class Editor: SampleObject {
  /// The type tag.
  public override class var restorationType: String { "Editor" }
  /// The schema version.
  public override class var restorationSchemaVersion: Int { 2 }
}

/// An object with another type.
public final class List: SampleObject {
  /// The type tag.
  public override class var restorationType: String { "List" }
}

/// An object whose type preserves unknown keys.
public final class Archivist: SampleObject {
  /// The type tag.
  public override class var restorationType: String { "Archivist" }
  /// Whether unknown keys are preserved: yes.
  public override class var keepsUnknownKeys: Bool { true }
}
