/// A value that one thread at a time can access.
///
/// Replaces the standard library's `Mutex`, which the thread sanitizer does not recognize on Linux. The lock is not
/// recursive: a thread that holds it must not lock it again.
///
/// Sendable, because the value is accessed only between `lock` and `unlock`, and enters the lock as a `sending`
/// parameter, so that no other reference to it exists.
@safe @frozen @usableFromInline
package struct Lock<Value>: ~Copyable, @unchecked Sendable {
  @usableFromInline let system: SystemLock
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Creates a lock that guards `value`.
  @inlinable
  package init(_ value: consuming sending Value) {
    system = SystemLock()
    unsafe self.value = .allocate(capacity: 1)
    unsafe self.value.initialize(to: value)
  }

  @inlinable
  deinit {
    system.destroy()
    unsafe value.deinitialize(count: 1)
    unsafe value.deallocate()
  }

  /// Calls `body` with the value while holding the lock, and returns or throws its result.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    system.lock()
    defer { system.unlock() }
    return try unsafe body(&value.pointee)
  }

  /// Calls `body` with the value if no other thread holds the lock; returns whether it did.
  @inlinable
  package borrowing func withLockIfFree(_ body: (inout sending Value) -> Void) -> Bool {
    guard system.lockIfFree() else { return false }
    defer { system.unlock() }
    unsafe body(&value.pointee)
    return true
  }
}
