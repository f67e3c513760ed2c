public import StateRestoration

/// A restorable object that tests can make do anything.
open class SampleObject: Restorable {
  /// No type.
  open class var restorationType: String { "" }
  /// Version 0.
  open class var restorationSchema: Int { 0 }
  /// Unknown keys go.
  open class var keepsUnknownKeys: Bool { false }

  /// Its name among its siblings.
  public var restorationIdentifier: String?
  /// ``children``.
  public var restorationChildren: [any Restorable] { children }
  /// ``parent``.
  public var restorationParent: (any Restorable)? { parent }
  /// What a provider makes it of.
  public var restorationProvider: ProviderReference?
  /// Why it is restored.
  public var restorationReasons: Set<RestorationReason> = RestorationReason.all

  /// The objects below it.
  public var children: [any Restorable]
  /// The object above it, if it is in nobody's children.
  public weak var parent: (any Restorable)?
  /// Its state.
  public var values: [String: Int]
  /// What it was told when restoring finished.
  public private(set) var finished: [RestoredState] = []
  /// Replaces what it encodes.
  public var encoding: ((StateEncoder) throws -> Void)?
  /// Replaces what it decodes.
  public var decoding: ((StateDecoder) throws -> Void)?
  /// Where its calls are noted.
  public var log: CallLog?

  /// Makes an object.
  public required init(
    _ identifier: String?, values: [String: Int] = [:], children: [any Restorable] = [], log: CallLog? = nil
  ) {
    restorationIdentifier = identifier
    self.values = values
    self.children = children
    self.log = log
  }

  /// Encodes ``values``, if nothing else was asked for.
  open func encodeRestorableState(with coder: StateEncoder) throws {
    log?.note("encode \(PlainText.text(coder.path))")
    if let encoding { return try encoding(coder) }
    for (key, value) in values { try coder.encode(value, forKey: key) }
  }

  /// Decodes ``values``, if nothing else was asked for.
  open func decodeRestorableState(with coder: StateDecoder) throws {
    log?.note("decode \(PlainText.text(coder.path))")
    if let decoding { return try decoding(coder) }
    for key in coder.allKeys { values[key] = try coder.decode(Int.self, forKey: key) }
  }

  /// Notes what it was told.
  open func applicationFinishedRestoringState(_ state: RestoredState) {
    log?.note("finish \(PlainText.text(restorationIdentifier ?? "-")) \(state.rawValue)")
    finished.append(state)
  }
}

/// One with a type.
public final class Editor: SampleObject {
  /// Its tag.
  public override class var restorationType: String { "Editor" }
  /// Its version.
  public override class var restorationSchema: Int { 2 }
}

/// One with another type.
public final class List: SampleObject {
  /// Its tag.
  public override class var restorationType: String { "List" }
}

/// One with a type that keeps what it does not know.
public final class Archivist: SampleObject {
  /// Its tag.
  public override class var restorationType: String { "Archivist" }
  /// Unknown keys stay.
  public override class var keepsUnknownKeys: Bool { true }
}
