/// A table of 256 elements, one for each byte value: a byte used as the index needs no bounds check.
@safe
struct ByteTable<Element: BitwiseCopyable>: ~Copyable {
  private let elements: UnsafeMutablePointer<Element>

  /// Creates a table of 256 copies of `element`.
  init(repeating element: Element) {
    unsafe elements = .allocate(capacity: 256)
    unsafe elements.initialize(repeating: element, count: 256)
  }

  deinit {
    unsafe elements.deallocate()
  }

  /// Returns the element of a byte.
  @inline(__always)
  subscript(byte: UInt8) -> Element {
    get { unsafe elements[Int(byte)] }
    set { unsafe elements[Int(byte)] = newValue }
  }
}
