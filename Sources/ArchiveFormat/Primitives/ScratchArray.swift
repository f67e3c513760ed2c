/// An array of plain values that belongs to one owner: no reference counting, no copies on write, no exclusivity checks.
///
/// Bounds are checked. The writer keeps its entries, keys and nodes in such arrays, because it touches them for every value that an app encodes.
@safe package struct ScratchArray<Element: BitwiseCopyable>: ~Copyable {
  private var pointer: UnsafeMutablePointer<Element>
  private var capacity: Int
  /// The number of elements.
  package private(set) var count = 0

  /// Makes an empty array with room for `capacity` elements.
  package init(capacity: Int) {
    self.capacity = max(capacity, 8)
    unsafe pointer = .allocate(capacity: self.capacity)
  }

  /// Makes an array of `count` times the same element.
  package init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    unsafe pointer.initialize(repeating: element, count: count)
    self.count = count
  }

  deinit {
    unsafe pointer.deallocate()
  }

  /// The element at an index.
  @inline(__always)
  package subscript(index: Int) -> Element {
    get {
      precondition(index >= 0 && index < count)
      return unsafe pointer[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe pointer[index] = newValue
    }
  }

  /// The last element, if there is one.
  @inline(__always)
  package var last: Element? {
    count > 0 ? unsafe pointer[count &- 1] : nil
  }

  /// Adds an element behind the last one.
  @inline(__always)
  package mutating func append(_ element: Element) {
    if count == capacity { grow(to: count &+ 1) }
    unsafe pointer[count] = element
    count &+= 1
  }

  /// Adds `added` times the same element.
  package mutating func append(repeating element: Element, count added: Int) {
    if count + added > capacity { grow(to: count + added) }
    unsafe (pointer + count).initialize(repeating: element, count: added)
    count += added
  }

  /// Removes what is behind the first `count` elements.
  @inline(__always)
  package mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count)
    self.count = count
  }

  @inline(never)
  private mutating func grow(to wanted: Int) {
    capacity = max(wanted, 2 * capacity)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    unsafe larger.update(from: pointer, count: count)
    unsafe pointer.deallocate()
    unsafe pointer = larger
  }

  /// Calls `body` with the elements.
  @inline(__always)
  package func withSpan<Result>(_ body: (Span<Element>) -> Result) -> Result {
    let buffer = unsafe UnsafeBufferPointer(start: pointer, count: count)
    return body(unsafe Span(_unsafeElements: buffer))
  }

  /// Adds elements behind the last one.
  package mutating func append(contentsOf elements: Span<Element>) {
    if count + elements.count > capacity { grow(to: count + elements.count) }
    for index in elements.indices { unsafe pointer[count + index] = elements[index] }
    count += elements.count
  }

  /// Sorts the elements at `range`.
  package mutating func sort(_ range: Range<Int>, by isBefore: (Element, Element) -> Bool) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    var buffer = unsafe UnsafeMutableBufferPointer(start: pointer + range.lowerBound, count: range.count)
    unsafe buffer.sort(by: isBefore)
  }
}
