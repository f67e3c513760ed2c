/// The one whose time is measured: this package, an alternative, or a limit.
enum Contender: String {
  /// This package.
  case archive
  /// This package, each time after a rest: threads have to be woken, and caches are cold.
  case rested
  /// This package on the small workload, in the rounds of a larger one: the baseline for the cost of a byte.
  case onSmall = "on-small"
  case propertyList = "property-list"
  case json
  case keyedArchiver = "keyed-archiver"
  /// The same values by keyed calls, without the engine.
  case bareCoder = "bare-coder"
  /// A tagged format without index or checksums.
  case naive
  /// Visiting each value of the model.
  case walk
  /// Copying the finished bytes.
  case copy
  /// Writing a file, flushing it, renaming it, and flushing the directory.
  case bareWrite = "bare-write"
}

/// An operation of one contender.
struct Trial {
  var contender: Contender
  /// The bytes produced or read, for a throughput; nil for none.
  var byteCount: Int?
  var clock = TrialClock.processor
  /// Runs before each run, untimed; nil for nothing.
  var prepare: (() throws -> Void)?
  /// Performs the operation once.
  let run: () throws -> Void

  /// The same operation under another name.
  func renamed(_ contender: Contender) -> Trial {
    var trial = self
    trial.contender = contender
    return trial
  }
}

/// A launch or a save as a user waits for it, timed in phases.
struct Journey {
  /// Performs it once and returns the nanoseconds of each phase.
  let run: () throws -> [(Phase, Double)]
  /// Performs it once more and returns the number of bytes written; nil if nothing is written, or if the kernel does not say.
  var writtenBytes: () throws -> Int? = { nil }
}

/// A phase of a launch or a save; all are elapsed time.
enum Phase: String, Encodable {
  /// Opening the store and beginning the launch.
  case openStore = "open store"
  /// Finding the newest archive, reading it, and checking every byte.
  case load = "load"
  /// The part of ``load`` that checks, timed by itself.
  case verify = "of that verify"
  /// Restoring all objects.
  case restore = "restore"
  /// From the start until the first object has its state.
  case firstObject = "start to first object"
  /// From the start until all objects have their state.
  case launch = "start to all objects"
  case turned = "captured by AppRestoration.turn()"
  /// From the change until the state is captured and handed to the queue: the pause of the app's actor.
  case captured = "change to captured"
  /// From the change until it is on the disk.
  case durable = "change to on disk"
}
