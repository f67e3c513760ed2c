/// A value behind a constant pointer, so that access costs no exclusivity check at run time.
///
/// A class called for every encoded value would spend a quarter of its time on these checks. Conflicting access is
/// excluded by other means: a class that has such a box is used by one thread at a time, and no access calls code
/// outside the package.
///
/// Inlinable into other modules because it is generic: there it would otherwise be accessed through run-time metadata.
@safe @frozen @usableFromInline
package struct UncheckedBox<Value: ~Copyable>: ~Copyable {
  @usableFromInline let pointer: UnsafeMutablePointer<Value>

  /// Creates a box that holds `value`.
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
