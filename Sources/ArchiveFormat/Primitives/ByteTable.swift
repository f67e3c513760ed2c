/// A table of 256 elements, one for each value of a byte, so that a byte as the index needs no bounds check.
@safe
struct ByteTable<Element: BitwiseCopyable>: ~Copyable {
  private let elements: UnsafeMutablePointer<Element>

  /// Makes a table with the same element everywhere.
  init(repeating element: Element) {
    unsafe elements = .allocate(capacity: 256)
    unsafe elements.initialize(repeating: element, count: 256)
  }

  deinit {
    unsafe elements.deallocate()
  }

  /// The element of a byte.
  @inline(__always)
  subscript(byte: UInt8) -> Element {
    get { unsafe elements[Int(byte)] }
    set { unsafe elements[Int(byte)] = newValue }
  }
}
