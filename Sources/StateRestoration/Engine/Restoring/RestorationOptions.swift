public import RestorationArchive

/// Options for restoring an archive.
public struct RestorationOptions {
  /// Information about the launch.
  public var launch: LaunchContext
  /// The policy that decides whether an archive is restored at all.
  public var policy: RestorationPolicy
  /// Quarantined paths, skipped with all descendants because restoring them crashed the app; the empty path is the
  /// application state.
  ///
  /// A ``RestorationStore`` adds the paths that it knows. Quarantined state is carried over unchanged. If a live object
  /// exists at the path, the quarantine ends once the object encodes something other than it did when restoring ended.
  public var quarantined: Set<RestorationPath>
  /// Whether the user has decided that the archive is restored, so that the delegate is not asked.
  private(set) var isUsersChoice = false
  /// What a store knows of quarantined nodes, by path.
  var left: [RestorationPath: LeftNode] = [:]
  /// The limits of unclaimed state that is carried over; nodes beyond them are not restored.
  public var carryLimits: CarryLimits
  /// Whether the report lists all resolution steps of each node.
  public var tracesDecisions: Bool
  /// The build that restores; nil if unknown.
  var build: String?
  /// Whether the report also notes keys that nothing has read, and application state without an upgrade.
  package var notesUnread = false
  /// Called before each call of a factory, an object or the delegate, with the phase and the node's path in this build.
  ///
  /// The empty path is the app's delegate. Upgrades are not told.
  ///
  /// The phase ``RestorationPhase/ended`` is announced when restoring returns, unless restoration is extended.
  /// State that is pending for an object registered later is restored at its registration, and the end is then announced
  /// again.
  public var onCall: ((RestorationPhase, RestorationPath) -> Void)?

  /// Creates options.
  public init(
    launch: LaunchContext = LaunchContext(), policy: RestorationPolicy = .always, quarantined: Set<RestorationPath> = [],
    carryLimits: CarryLimits = .standard, tracesDecisions: Bool = false, onCall: ((RestorationPhase, RestorationPath) -> Void)? = nil
  ) {
    (self.launch, self.policy, self.quarantined) = (launch, policy, quarantined)
    (self.carryLimits, self.tracesDecisions, self.onCall) = (carryLimits, tracesDecisions, onCall)
  }

  /// Restores what the user has asked for, whatever the policy and the delegate would say.
  mutating func letUserDecide() { (policy, isUsersChoice) = (.always, true) }
}

/// A quarantined node, as far as a store knows it.
struct LeftNode: Sendable {
  /// The digest of its state, if known; a state with a different digest is restored.
  let digest: UInt64?
  /// When it is tried again, and what releases it, in words.
  let retry: String
}

/// The progress of a launch, recorded before each call into the app so that the next launch can identify the cause of a
/// crash.
public enum RestorationPhase: String, Sendable, CaseIterable {
  /// The app makes a decision, or an object is created for a node.
  case creating
  /// An object decodes its state.
  case decoding
  /// All objects are decoded, and completion callbacks run.
  case finishing
  /// Restoration continues, but no node is being called.
  case waiting
  /// Restoration has ended, but the launch is not yet known to be stable.
  case ended
}

/// Records which callback of an app is running while an archive is restored, so that the next launch knows which one
/// killed it.
///
/// A session needs no store for it: it also restores without one.
protocol CallbackRecorder: AnyObject, Sendable {
  /// Whether a node of the archive killed the app before, so that each callback is compared with it.
  var hasSuspects: Bool { get }
  /// Records a callback, or an end, of an object that registers after its archive was restored.
  var noteLate: @Sendable (RestorationPhase, RestorationPath, _ node: Int) -> Void { get }
  /// Records that a callback of a node is about to begin.
  func note(_ phase: RestorationPhase, node: Int)
  /// Records that code of the app is about to run that belongs to no node of this archive.
  func noteWaiting()
  /// Records that a node that killed the app before is called again; the node may have several paths.
  func noteSuspect(_ phase: RestorationPhase, _ paths: [RestorationPath])
  /// Records that restoring has ended, or that it goes on outside of the restoring function.
  func end(isExtended: Bool)
}
