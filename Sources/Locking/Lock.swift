/// A value that one thread at a time can use.
///
/// Used in place of `Mutex` of the standard library, because the thread sanitizer does not see that one on Linux. A thread
/// that holds it must not lock it again.
///
/// Sendable, because the value is only used between `lock` and `unlock`, and only values that nobody else has are put in.
@safe @frozen @usableFromInline
package struct Lock<Value>: ~Copyable, @unchecked Sendable {
  @usableFromInline let system: SystemLock
  @usableFromInline let value: UnsafeMutablePointer<Value>

  /// Makes a lock that guards `value`.
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

  /// Calls `body` with the value, and returns or throws what `body` does.
  @inlinable
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    system.lock()
    defer { system.unlock() }
    return try unsafe body(&value.pointee)
  }
}
