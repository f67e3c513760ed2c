/// What an app says about its launches when it opens its store.
public struct LaunchOptions: Sendable, Hashable {
  /// The build that runs: another build than the one that died tries a quarantined node again.
  public var bundleVersion: String?
  /// Whether nothing is restored by itself: everything is offered instead, as for an argument `--safe-mode` of the app.
  public var isSafe: Bool
  /// How long the app must run after restoring to count as stable, 5 s by default.
  ///
  /// It is measured in ticks of the actor that restores, so that an app that hangs does not become stable.
  public var stableAfter: Duration
  /// Whether fatal signals are noted: traps, bad accesses, aborts.
  ///
  /// A node that traps while it is restored is then left out at the next launch already, instead of after its second death. The handler writes
  /// 64 bytes into the store's folder and goes on with whatever handled the signal before; it stays for as long as the process runs. Install
  /// other handlers that keep the one before, or install them earlier. Where the stack of another thread than the one that begins the launch
  /// has overflown, nothing is noted.
  public var recordsFatalSignals: Bool

  /// Makes options.
  public init(bundleVersion: String? = nil, isSafe: Bool = false, stableAfter: Duration = .seconds(5), recordsFatalSignals: Bool = false) {
    self.bundleVersion = bundleVersion
    self.isSafe = isSafe
    self.stableAfter = stableAfter
    self.recordsFatalSignals = recordsFatalSignals
  }

  /// How long a tick is.
  static let tick = Duration.milliseconds(500)

  /// The number of ticks until an archive is stable.
  var ticksToStable: Int {
    let (seconds, attoseconds) = stableAfter.components
    let halves = Double(seconds) * 2 + Double(attoseconds) / 5e17
    return max(1, Int(min(halves.rounded(.up), 1_000_000)))
  }
}
