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
