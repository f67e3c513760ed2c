/// The alignment of two sequences: the parts between the elements that both have in the same order.
///
/// Finds the shortest script of removals and insertions if it has at most ``editLimit`` steps (Myers' greedy algorithm),
/// so time and memory are bounded. Of longer scripts only the common beginning and end are found.
struct SequenceAlignment {
  /// The longest script that is searched for.
  static let editLimit = 100

  /// The old elements that were replaced, with the new ones in their place; either range may be empty.
  ///
  /// All other elements are equal.
  private(set) var replaced: [(old: Range<Int>, new: Range<Int>)] = []

  /// Aligns two sequences.
  ///
  /// - Complexity: O(n · `editLimit`) comparisons.
  init<Element>(_ old: [Element], _ new: [Element], by areEqual: (Element, Element) -> Bool) {
    let part = Splice(old, new, by: areEqual)
    var (left, right) = (part.start, part.start)
    let end = (old: part.old.upperBound, new: part.new.upperBound, count: 0)
    for same in Self.script(old[part.old], new[part.new], areEqual) + [end] {
      if left < same.old || right < same.new { replaced.append((left..<same.old, right..<same.new)) }
      (left, right) = (same.old + same.count, same.new + same.count)
    }
  }

  /// Returns the runs of equal elements of the shortest script, or none if it is too long.
  private static func script<Element>(
    _ old: ArraySlice<Element>, _ new: ArraySlice<Element>, _ areEqual: (Element, Element) -> Bool
  ) -> [(old: Int, new: Int, count: Int)] {
    if old.isEmpty || new.isEmpty { return [] }
    let most = min(editLimit, old.count + new.count)
    // The furthest old position on each diagonal (old - new), after each number of edits.
    var furthest = [Int](repeating: 0, count: 2 * most + 3)
    var history: [[Int]] = []
    for edits in 0...most {
      history.append(furthest)
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        let place = diagonal + most + 1
        let goesDown = diagonal == -edits || (diagonal != edits && furthest[place - 1] < furthest[place + 1])
        var x = goesDown ? furthest[place + 1] : furthest[place - 1] + 1
        var y = x - diagonal
        while x >= 0, y >= 0, x < old.count, y < new.count, areEqual(old[old.startIndex + x], new[new.startIndex + y]) {
          (x, y) = (x + 1, y + 1)
        }
        furthest[place] = x
        if x >= old.count, y >= new.count { return traced(back: history, x, y, most, old.startIndex, new.startIndex) }
      }
    }
    return []
  }

  /// Follows a script back to its beginning, and returns its runs of equal elements.
  private static func traced(
    back history: [[Int]], _ endX: Int, _ endY: Int, _ most: Int, _ oldStart: Int, _ newStart: Int
  ) -> [(old: Int, new: Int, count: Int)] {
    var runs: [(old: Int, new: Int, count: Int)] = []
    var (x, y) = (endX, endY)
    for edits in history.indices.reversed() {
      let furthest = history[edits]
      let diagonal = x - y
      let place = diagonal + most + 1
      let goesDown = diagonal == -edits || (diagonal != edits && furthest[place - 1] < furthest[place + 1])
      let previousX = edits == 0 ? 0 : (goesDown ? furthest[place + 1] : furthest[place - 1])
      let previousY = edits == 0 ? 0 : previousX - (goesDown ? diagonal + 1 : diagonal - 1)
      // The start of the run of equal elements on this diagonal.
      let firstX = edits == 0 ? 0 : (goesDown ? previousX : previousX + 1)
      if x > firstX { runs.append((oldStart + firstX, newStart + firstX - diagonal, x - firstX)) }
      (x, y) = (previousX, previousY)
    }
    return runs.reversed()
  }
}

/// The part of two sequences between their common beginning and their common end.
struct Splice {
  let start: Int
  /// The parts that differ.
  let old: Range<Int>
  let new: Range<Int>

  init<Element>(_ left: [Element], _ right: [Element], by areEqual: (Element, Element) -> Bool) {
    var start = 0
    while start < min(left.count, right.count), areEqual(left[start], right[start]) { start += 1 }
    var (oldEnd, newEnd) = (left.count, right.count)
    while oldEnd > start, newEnd > start, areEqual(left[oldEnd - 1], right[newEnd - 1]) { (oldEnd, newEnd) = (oldEnd - 1, newEnd - 1) }
    self.start = start
    old = start..<oldEnd
    new = start..<newEnd
  }
}

/// The elements of two sorted collections in ascending order: equal ones as a pair, all others alone.
struct MergedPairs<Elements: Collection>: Sequence, IteratorProtocol {
  typealias Element = (old: Elements.Element?, new: Elements.Element?)

  private var old: Elements.SubSequence
  private var new: Elements.SubSequence
  private let order: (Elements.Element, Elements.Element) -> Int

  /// Creates the pairs; `order` returns a negative number if its first element is before the second, zero for a pair.
  init(_ old: Elements, _ new: Elements, by order: @escaping (Elements.Element, Elements.Element) -> Int) {
    self.old = old[...]
    self.new = new[...]
    self.order = order
  }

  mutating func next() -> Element? {
    let order: Int
    switch (old.first, new.first) {
    case (let old?, let new?): order = self.order(old, new)
    case (_?, nil): order = -1
    case (nil, _?): order = 1
    case (nil, nil): return nil
    }
    return (order <= 0 ? old.popFirst() : nil, order >= 0 ? new.popFirst() : nil)
  }
}
