import Locking

/// Whether the files are accessible, from the app's point of view.
final class Reach: Sendable {
  private let state: Lock<Bool>

  init(_ isThere: Bool) {
    state = Lock(isThere)
  }

  var isThere: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
