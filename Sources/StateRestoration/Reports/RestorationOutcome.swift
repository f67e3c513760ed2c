/// What became of a node.
public enum RestorationOutcome: Sendable, Hashable {
  /// Why a node was skipped.
  public enum Skip: String, Sendable, CaseIterable {
    /// The factory said so.
    case declined
    /// Nobody knows which object it is.
    case noFactory = "no-factory"
    /// It is gone on purpose.
    case tombstone
    /// The thing that it stood for no longer exists: its factory, the delegate or
    /// ``RestorableApplication/discardState(at:)`` said so.
    case gone
    /// The object that it lies below, or that was at its path, has been closed.
    case closed
    /// The archive as a whole was refused.
    case refused
    /// It was carried over for too long.
    case expired
    /// The node that it lies below was not restored.
    case ancestor
    /// An alias leads to a path that has a node of its own.
    case superseded
  }

  /// Why the object was not decoded.
  public enum Refusal: String, Sendable, CaseIterable {
    /// The object is of another type than the saved one.
    case otherType = "other-type"
    /// The object does not want its state at a launch for this reason.
    case reason
  }

  /// An object was made for it, and decoded its state.
  case restored
  /// An object that was there decoded its state.
  case located
  /// An object was made for it and decoded its state, but no live object has it among its children: it will not be saved.
  case notAdopted
  /// There is an object, but its state was not decoded.
  case notDecoded(Refusal)
  /// No object was made.
  case skipped(Skip)
  /// It waits until an object registers for its path.
  case later
  /// Its factory, its upgrade or its decoding threw.
  case failed
  /// It was left out because restoring it killed the app.
  case quarantined
  /// It holds nothing; it keeps the place of what lies below it.
  case placeholder

  /// Whether the state has arrived, or there was none to arrive.
  public var isSuccess: Bool {
    switch self {
    case .restored, .located, .placeholder: true
    case .notAdopted, .notDecoded, .skipped, .later, .failed, .quarantined: false
    }
  }

  /// The name in JSON reports.
  public var name: String {
    switch self {
    case .restored: "restored"
    case .located: "located"
    case .notAdopted: "not-adopted"
    case .notDecoded(let refusal): "not-decoded-\(refusal.rawValue)"
    case .skipped(let skip): "skipped-\(skip.rawValue)"
    case .later: "later"
    case .failed: "failed"
    case .quarantined: "quarantined"
    case .placeholder: "placeholder"
    }
  }
}
