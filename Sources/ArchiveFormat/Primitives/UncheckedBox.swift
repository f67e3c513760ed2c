/// A value behind a pointer that never changes, so that access to it costs no exclusivity check at run time.
///
/// A class that is called for every value that an app encodes would spend a quarter of its time on these checks. What they guard against
/// is excluded otherwise: a class that has one belongs to one thread at a time, and none of their accesses calls code of others.
///
/// It can be inlined into other modules, because it is generic: there it would otherwise be looked up at run time.
@safe @frozen @usableFromInline
package struct UncheckedBox<Value: ~Copyable>: ~Copyable {
  @usableFromInline let pointer: UnsafeMutablePointer<Value>

  /// Puts a value in.
  @inlinable
  package init(_ value: consuming Value) {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: value)
  }

  @inlinable
  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  /// The value.
  @inlinable
  package var value: Value {
    @inline(__always) _read { yield unsafe pointer.pointee }
    @inline(__always) nonmutating _modify { yield unsafe &pointer.pointee }
  }
}
