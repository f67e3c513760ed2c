/// A value behind a pointer that never changes, so that access to it costs no exclusivity check at run time.
///
/// A class that is called for every value that an app encodes would spend a quarter of its time on these checks. What they guard against
/// is excluded otherwise: the classes that use this are confined to one thread, and none of their accesses calls code of others.
@safe package struct UncheckedBox<Value: ~Copyable>: ~Copyable {
  private let pointer: UnsafeMutablePointer<Value>

  /// Puts a value in.
  package init(_ value: consuming Value) {
    unsafe pointer = .allocate(capacity: 1)
    unsafe pointer.initialize(to: value)
  }

  deinit {
    unsafe pointer.deinitialize(count: 1)
    unsafe pointer.deallocate()
  }

  /// The value.
  @inline(__always)
  package var value: Value {
    _read { yield unsafe pointer.pointee }
    nonmutating _modify { yield unsafe &pointer.pointee }
  }
}
