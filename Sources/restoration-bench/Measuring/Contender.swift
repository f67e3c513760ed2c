/// A measured implementation: this package, an alternative, or a limit.
enum Contender: String {
  /// This package.
  case archive
  /// This package, each time after a pause: threads must be woken, and caches are cold.
  case rested
  /// This package on the small workload, in the rounds of a larger one: the baseline for the cost per byte.
  case onSmall = "on-small"
  case propertyList = "property-list"
  case json
  /// The same values through keyed calls, without the engine.
  case bareCoder = "bare-coder"
  /// A tagged format without an index or checksums.
  case naive
  /// This package, with every save of the whole state in a file of its own.
  case whole
  /// This package, on the archive that a chain of links follows.
  case base
  /// Writing a file, flushing it, renaming it, and flushing the directory.
  case bareWrite = "bare-write"
}

/// An operation of one contender.
struct Trial {
  var contender: Contender
  /// The number of bytes produced or read, for throughput; nil if there are none.
  var byteCount: Int?
  var clock = TrialClock.processor
  /// Untimed preparation before each run, if any.
  var prepare: (() throws -> Void)?
  /// Performs the operation once.
  let run: () throws -> Void

  /// Returns the same operation under another name.
  func renamed(_ contender: Contender) -> Trial {
    var trial = self
    trial.contender = contender
    return trial
  }
}

/// A launch or a save as a user experiences it, timed in phases.
struct Journey {
  /// Performs the launch or save once and returns the nanoseconds of each phase.
  let run: () throws -> [(Phase, Double)]
  /// Performs the save once more and returns the number of bytes written; nil if nothing is written or the kernel does
  /// not report it.
  var writtenBytes: () throws -> Int? = { nil }
}

/// A phase of a launch or a save; all phases are elapsed time.
enum Phase: String {
  /// Opening the store and beginning the launch.
  case openStore = "open store"
  /// Finding the newest archive, reading it, and checking every byte.
  case load = "load"
  /// The checking part of ``load``, timed separately.
  case verify = "of that verify"
  /// Restoring all objects.
  case restore = "restore"
  /// Restoring all objects from memory, without a store, for comparison with ``restore``.
  case engine = "the engine alone"
  /// The time from the start until the first object has its state.
  case firstObject = "start to first object"
  /// The time from the start until all objects have their state.
  case launch = "start to all objects"
  /// The pause of the app's actor at the end of a turn with one change.
  case turned = "captured by AppRestoration.turn()"
  /// The time from the change until the state is captured and passed to the queue: the pause of the app's actor.
  case captured = "change to captured"
  /// The time from the change until the state is on disk.
  case durable = "change to on disk"
  case someScenes = "125 scenes opened"
  case manyScenes = "1,000 scenes opened"
}
