/// An array of trivial values with a single owner: no reference counting, no copy on write, no exclusivity checks.
///
/// Bounds are checked. The writer keeps its entries, keys and nodes in such arrays, because it accesses them for every
/// encoded value.
///
/// The type is inlinable into other modules because it is generic: there it would otherwise run unspecialized.
@safe @frozen @usableFromInline
package struct ScratchArray<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline var pointer: UnsafeMutablePointer<Element>
  /// The number of elements for which there is room.
  @usableFromInline package var capacity: Int
  /// The number of elements.
  @usableFromInline package var count = 0

  /// Creates an empty array with room for `capacity` elements.
  @inlinable
  package init(capacity: Int) {
    precondition(MemoryLayout<Element>.alignment <= MemoryLayout<UInt64>.alignment)
    self.capacity = max(capacity, 8)
    unsafe pointer = RawMemory.allocate(self.capacity * MemoryLayout<Element>.stride).bindMemory(to: Element.self, capacity: self.capacity)
  }

  /// Creates an array of `count` copies of `element`.
  @inlinable
  package init(repeating element: Element, count: Int) {
    self.init(capacity: count)
    unsafe pointer.initialize(repeating: element, count: count)
    self.count = count
  }

  @inlinable
  deinit {
    unsafe RawMemory.deallocate(pointer)
  }

  /// Accesses the element at `index`.
  @inlinable @inline(__always)
  package subscript(index: Int) -> Element {
    // One comparison checks both bounds: as an unsigned number, a negative index is larger than any count.
    get {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      return unsafe pointer[index]
    }
    set {
      precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
      unsafe pointer[index] = newValue
    }
  }

  /// The last element, or nil if the array is empty.
  @inlinable @inline(__always)
  package var last: Element? {
    count > 0 ? unsafe pointer[count &- 1] : nil
  }

  /// Appends an element.
  @inlinable @inline(__always)
  package mutating func append(_ element: Element) {
    if count == capacity { grow(to: count &+ 1) }
    unsafe pointer[count] = element
    count &+= 1
  }

  /// Inserts an element at `index`.
  ///
  /// - Complexity: O(n).
  @inlinable
  package mutating func insert(_ element: Element, at index: Int) {
    precondition(index >= 0 && index <= count)
    append(element)
    unsafe (pointer + index + 1).update(from: pointer + index, count: count - 1 - index)
    unsafe pointer[index] = element
  }

  /// Appends `added` copies of `element`.
  @inlinable
  package mutating func append(repeating element: Element, count added: Int) {
    if count + added > capacity { grow(to: count + added) }
    unsafe (pointer + count).initialize(repeating: element, count: added)
    count += added
  }

  /// Removes all elements after the first `count`.
  @inlinable @inline(__always)
  package mutating func truncate(to count: Int) {
    precondition(UInt(bitPattern: count) <= UInt(bitPattern: self.count))
    self.count = count
  }

  @inlinable @inline(never)
  mutating func grow(to wanted: Int) {
    capacity = max(wanted, 2 * capacity)
    unsafe pointer = RawMemory.resize(pointer, to: capacity * MemoryLayout<Element>.stride).bindMemory(to: Element.self, capacity: capacity)
  }

  /// Calls `body` with the elements.
  @inlinable @inline(__always)
  package func withSpan<Result>(_ body: (Span<Element>) -> Result) -> Result {
    let buffer = unsafe UnsafeBufferPointer(start: pointer, count: count)
    return body(unsafe Span(_unsafeElements: buffer))
  }

  /// Returns a copy of the elements as an array.
  @inlinable
  package func makeArray() -> [Element] {
    unsafe Array(UnsafeBufferPointer(start: pointer, count: count))
  }

  /// Appends elements.
  @inlinable
  package mutating func append(contentsOf elements: Span<Element>) {
    if count + elements.count > capacity { grow(to: count + elements.count) }
    unsafe elements.withUnsafeBufferPointer { source in
      guard let address = source.baseAddress else { return }
      unsafe (pointer + count).update(from: address, count: source.count)
    }
    count += elements.count
  }

  /// Sorts the elements in `range`.
  @inlinable
  package mutating func sort(_ range: Range<Int>, by isBefore: (Element, Element) -> Bool) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count)
    var buffer = unsafe UnsafeMutableBufferPointer(start: pointer + range.lowerBound, count: range.count)
    unsafe buffer.sort(by: isBefore)
  }
}
