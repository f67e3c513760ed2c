import Synchronization

/// Whether the files can be reached, as an app knows it.
final class Reach: Sendable {
  private let state: Mutex<Bool>

  init(_ isThere: Bool) {
    state = Mutex(isThere)
  }

  var isThere: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
