/// A list whose elements are computed on access.
///
/// A hostile file of a few kilobytes can describe many elements with long paths. Such a list needs only the memory of
/// its source, whatever its number of elements.
///
///     for finding in ArchiveCheck(data).findings { print(finding) }
public struct ComputedList<Element: Sendable>: RandomAccessCollection, Sendable {
  private let number: Int
  private let element: @Sendable (Int) -> Element

  /// Creates a list of `count` elements; `element` returns the one at a position.
  package init(count: Int, element: @escaping @Sendable (Int) -> Element) {
    number = count
    self.element = element
  }

  /// Creates a list of elements that are in memory.
  package init(_ elements: [Element]) {
    self.init(count: elements.count) { elements[$0] }
  }

  /// The position of the first element: 0.
  public var startIndex: Int { 0 }
  /// The position after the last element.
  public var endIndex: Int { number }

  /// Returns the element at `position`, computed anew at each access.
  ///
  /// - Complexity: O(n) in the length of the element's paths and of the record it concerns.
  public subscript(position: Int) -> Element { element(position) }
}

extension ComputedList: CustomStringConvertible {
  /// A list of all elements.
  public var description: String { Array(self).description }
}
