#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a trial is timed by.
enum TrialClock {
  /// The time that the thread spends on a processor: for what only computes. What else the machine does is not counted.
  case processor
  /// The time that passes: for what waits for a disk, or takes next to none.
  case wall

  /// The nanoseconds that a sample lasts at least: some fifty times what asking for the time takes, which is in each.
  ///
  /// The kernel has to be asked for the time of the processor, which takes 800 ns; the other is read from memory.
  var shortestSample: Double {
    switch self {
    case .processor: 40_000
    case .wall: 2_000
    }
  }

  /// Nanoseconds since some point in the past.
  var now: Double {
    var time = timespec()
    _ = unsafe clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
