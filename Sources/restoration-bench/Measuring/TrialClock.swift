#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a trial is timed by.
///
/// Asking for the time of the processor takes more than half a microsecond, so what takes less is timed by the wall.
enum TrialClock {
  /// The time that the thread spends on a processor: for what only computes. What else the machine does is not counted.
  case processor
  /// The time that passes: for what waits for a disk, or takes next to none.
  case wall

  /// Nanoseconds since some point in the past.
  var now: Double {
    var time = timespec()
    _ = unsafe clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
