import RestorationArchive

/// How much more a report may list.
struct Allowance {
  /// How many things.
  var count: Int
  /// How many bytes their paths may have together; the last one may have more.
  var byteCount: Int

  /// Visits elements as long as there is something left.
  ///
  /// - Returns: How many were visited.
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
