import RestorationArchive

/// The remaining limits of a report.
struct Allowance {
  /// The number of items.
  var count: Int
  /// The total length of their paths in bytes.
  ///
  /// The last item may exceed it.
  var byteCount: Int

  /// Visits elements until a limit is reached.
  ///
  /// - Returns: The number of visited elements.
  @discardableResult
  mutating func visit<Elements: Collection>(
    _ elements: Elements, _ path: (Elements.Element) -> RestorationPath?, _ body: (Elements.Element) -> Void
  ) -> Int {
    var visited = 0
    for element in elements {
      guard count > 0, byteCount > 0 else { break }
      body(element)
      visited += 1
      count -= 1
      byteCount -= path(element)?.components.reduce(0) { $0 + $1.utf8.count } ?? 0
    }
    return visited
  }
}
