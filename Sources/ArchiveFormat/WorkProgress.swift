import Locking

/// The progress of long work, for a program that shows it.
///
/// A program calls ``show(_:)`` and reads ``fraction`` on another thread. Work that knows its amount finds it there:
///
///     let progress = WorkProgress.begin(records.count)
///     defer { progress?.end() }
///     for index in records.indices {
///       if index % 1024 == 0 { progress?.advance(to: index) }
///
/// Work inside other work fills the unit that the outer one is at.
package final class WorkProgress: Sendable {
  /// The progress that the program shows, if any.
  private static let shown = Lock<WorkProgress?>(nil)

  private let levels = Lock<[(done: Int, count: Int)]>([])

  package init() {}

  /// Shows a progress from now on: work that begins is counted in it.
  package static func show(_ progress: WorkProgress?) { shown.withLock { $0 = progress } }

  /// The finished part, from 0 to 1; nil while no amount is known.
  package var fraction: Double? {
    levels.withLock { levels in
      levels.isEmpty ? nil : levels.reversed().reduce(0) { (Double($1.done) + $0) / Double(max(1, $1.count)) }
    }
  }

  /// Begins work of `count` units, and returns the progress to report them to if it is shown.
  package static func begin(_ count: Int) -> WorkProgress? {
    let progress = shown.withLock { $0 }
    progress?.levels.withLock { $0.append((0, count)) }
    return progress
  }

  /// Reports the number of finished units of the innermost work.
  package func advance(to done: Int) { levels.withLock { $0[$0.count - 1].done = done } }

  /// Ends the innermost work.
  package func end() { levels.withLock { _ = $0.removeLast() } }
}
