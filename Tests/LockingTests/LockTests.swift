import Locking
import Testing

@Suite struct LockTests {
  /// An error that only this suite throws.
  private struct Refusal: Error {}

  @Test("no increment is lost when several tasks increment concurrently")
  func excludesOthers() async {
    final class Shared: Sendable {
      let total = Lock(0)
    }
    let shared = Shared()
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1000 { shared.total.withLock { $0 += 1 } }
        }
      }
    }
    #expect(shared.total.withLock { $0 } == 8000)
  }

  @Test("an error is rethrown, the change stays, and the lock is released")
  func unlocksAfterError() {
    let lock = Lock(1)
    #expect(throws: Refusal.self) {
      try lock.withLock { (value: inout sending Int) throws(Refusal) in
        value = 2
        throw Refusal()
      }
    }
    #expect(lock.withLock { $0 } == 2)
  }

  @Test("the value lives as long as its lock")
  func keepsValue() {
    final class Value: Sendable {}
    weak var value: Value?
    func use() {
      let lock = Lock(Value())
      lock.withLock { value = $0 }
      #expect(value != nil)
    }
    use()
    #expect(value == nil)
  }
}
