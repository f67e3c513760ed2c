public import StateRestoration

/// A restorable object that tracks its changes, except where a test leaves a change unreported.
public final class TrackedObject: Restorable {
  /// The type tag.
  public static var restorationType: String { "Tracked" }
  /// Whether changes are reported: yes.
  public static var tracksChanges: Bool { true }

  /// The identifier; a change is reported.
  public var restorationIdentifier: String? {
    didSet { setNeedsSave() }
  }
  /// The state.
  @Restored public var number = 0
  /// The children, of any class.
  @RestoredChildren public var children: [any Restorable] = []
  /// An object that it refers to; a change is reported.
  public weak var target: (any Restorable)? {
    didSet { setNeedsSave() }
  }
  /// State whose changes are not reported.
  public var secret = 0
  /// Whether it throws instead of encoding.
  public var fails = false
  /// The number of times that it was encoded.
  public private(set) var encodingCount = 0

  /// The failure of an object that ``fails``.
  public struct Failure: Error {}

  /// Creates an object.
  public init(_ identifier: String, number: Int = 0, children: [any Restorable] = []) {
    restorationIdentifier = identifier
    self.number = number
    self.children = children
  }

  /// The child objects: ``children``.
  public var restorationChildren: [any Restorable] { children }

  /// Encodes the state.
  public func encodeRestorableState(with coder: StateEncoder) throws {
    encodingCount += 1
    if fails { throw Failure() }
    try encodeRestoredProperties(with: coder)
    if secret != 0 { try coder.encode(secret, forKey: "secret") }
    if let target { try coder.encode(reference: target, forKey: "target") }
  }
}

/// A restorable object that does not track its changes.
public final class UntrackedObject: Restorable {
  /// The type tag.
  public static var restorationType: String { "Untracked" }

  /// The identifier.
  public var restorationIdentifier: String?
  /// The state.
  public var number = 0
  /// The children, of any class.
  public var children: [any Restorable]

  /// Creates an object.
  public init(_ identifier: String, number: Int = 0, children: [any Restorable] = []) {
    restorationIdentifier = identifier
    self.number = number
    self.children = children
  }

  /// The child objects: ``children``.
  public var restorationChildren: [any Restorable] { children }

  /// Encodes the state.
  public func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(number, forKey: "number") }
}
