/// What happened to a node during restoration: restored, skipped, failed, and so on.
public enum RestorationOutcome: Sendable, Hashable {
  /// The reason why a node was skipped.
  public enum Skip: String, Sendable, CaseIterable {
    /// The factory declined it.
    case declined
    /// No rule provides an object for it.
    case noFactory = "no-factory"
    /// A tombstone marks it as intentionally removed.
    case tombstone
    /// Its subject no longer exists, as reported by its factory, the delegate or
    /// ``RestorableTree/discardState(at:)``.
    case gone
    /// The object at its path or above it has been closed.
    case closed
    /// The entire archive was refused.
    case refused
    /// It exceeded the limits for carrying over.
    case expired
    /// Its parent node was not restored.
    case ancestor
    /// Its alias maps to a path that has its own node.
    case superseded
  }

  /// The reason why an object was not decoded.
  public enum Refusal: String, Sendable, CaseIterable {
    /// The object's type differs from the saved type.
    case otherType = "other-type"
    /// The object does not restore its state at launches for this reason.
    case reason
  }

  /// An object was created, and decoded its state.
  case restored
  /// An existing object decoded its state.
  case located
  /// An object decoded its state, but no live object has it as a child: it will not be saved, and its state is kept.
  case notAdopted
  /// An object exists, but its state was not decoded.
  case notDecoded(Refusal)
  /// An object decoded its state, but no upgrade leads from the saved schema version to the one of its class.
  case notUpgraded
  /// No object was created.
  case skipped(Skip)
  /// The node is deferred until an object is registered for its path.
  case later
  /// The factory, an upgrade or decoding failed.
  case failed
  /// The node was skipped because restoring it crashed the app.
  case quarantined
  /// The node is empty, and exists only for its descendants.
  case placeholder

  /// Whether the state was restored, or there was none to restore.
  public var isSuccess: Bool {
    switch self {
    case .restored, .located, .placeholder: true
    case .notAdopted, .notDecoded, .notUpgraded, .skipped, .later, .failed, .quarantined: false
    }
  }

  /// Whether an object exists that did not take its state in, which is nobody's decision but a mistake.
  var isFailure: Bool {
    switch self {
    case .failed, .notAdopted, .notUpgraded, .notDecoded(.otherType): true
    default: false
    }
  }

  /// Whether the state was not taken in, which is nobody's decision but a mistake.
  var isMistake: Bool { isFailure || self == .skipped(.noFactory) }

  /// The name in JSON reports.
  public var name: String {
    switch self {
    case .restored: "restored"
    case .located: "located"
    case .notAdopted: "not-adopted"
    case .notDecoded(let refusal): "not-decoded-\(refusal.rawValue)"
    case .notUpgraded: "not-upgraded"
    case .skipped(let skip): "skipped-\(skip.rawValue)"
    case .later: "later"
    case .failed: "failed"
    case .quarantined: "quarantined"
    case .placeholder: "placeholder"
    }
  }
}
