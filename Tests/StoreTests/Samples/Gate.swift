import Foundation

/// A gate that blocks callers while it is closed.
final class Gate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = true
  private var visitorCount = 0

  func close() { condition.withLock { isOpen = false } }

  func open() {
    condition.withLock {
      isOpen = true
      condition.broadcast()
    }
  }

  /// Waits until the gate is open.
  func pass() {
    condition.withLock {
      visitorCount += 1
      condition.broadcast()
      while !isOpen { condition.wait() }
      visitorCount -= 1
    }
  }

  /// Waits until a caller waits at the gate.
  func awaitVisitor() {
    condition.withLock { while visitorCount == 0 { condition.wait() } }
  }

  /// Waits until a caller waits at the gate, without keeping this thread from other tests, which may keep the caller from it.
  nonisolated(nonsending) func visitor() async {
    while condition.withLock({ visitorCount == 0 }) { await Task.yield() }
  }
}
