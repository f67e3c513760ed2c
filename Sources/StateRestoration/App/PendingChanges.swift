import Locking

/// The reported changes that have not been processed yet, by archive.
///
/// Sendable, because the last reference to an object may be released on any thread. Each archive has one entry, however
/// many changes there are, and `wake` is called once.
final class PendingChanges: Sendable {
  /// The times of the first and last change.
  struct Span: Sendable {
    var first: Duration
    /// Nil if it is uncertain whether any of the changes belongs to the archive: such changes do not postpone its save.
    var last: Duration?
  }

  private struct State {
    var spans: [ArchiveName: Span] = [:]
    var isWakeSent = false
  }

  private let state = Lock(State())
  private let time: @Sendable () -> Duration
  private let wake: @Sendable () -> Void

  /// Creates an empty set of changes; `wake` is called for the first change after each ``take()``.
  init(time: @escaping @Sendable () -> Duration, wake: @escaping @Sendable () -> Void) {
    self.time = time
    self.wake = wake
  }

  /// Records a change to an archive, or a change that cannot be assigned to one archive and may belong to this one.
  func add(_ archive: ArchiveName, isClaimed: Bool = true) {
    let now = time()
    let isFirst = state.withLock { state in
      var span = state.spans[archive] ?? Span(first: now)
      if isClaimed { span.last = now }
      state.spans[archive] = span
      defer { state.isWakeSent = true }
      return !state.isWakeSent
    }
    if isFirst { wake() }
  }

  /// Returns all changes and clears them.
  func take() -> [ArchiveName: Span] {
    state.withLock { state in
      defer { state = State() }
      return state.spans
    }
  }

  /// Whether no change is waiting to be processed.
  var isEmpty: Bool { state.withLock { $0.spans.isEmpty } }
}
