extension KeyedValue {
  /// Calls `body` with the number of each object that a value refers to; returns the number of other values in it.
  ///
  /// The depth of the property list limits the recursion.
  @discardableResult
  func visitReferences(_ body: (Int) -> Void) -> Int {
    switch self {
    case .object(let number):
      body(number)
      return 0
    case .array(let values): return values.reduce(1) { $0 + $1.visitReferences(body) }
    case .dictionary(let fields): return fields.reduce(1) { $0 + $1.value.visitReferences(body) }
    default: return 1
    }
  }
}

extension KeyedArchive {
  /// Finds the objects to which nothing leads, each part of the graph that hangs together by the object that leads to all others
  /// in it: what led to that one was lost.
  ///
  /// - Parameter first: The number of the object that is called number 0.
  /// - Returns: The objects, named like values without a key (`Spec/imports.md`, rule R-K2-8).
  /// - Complexity: O(n) in the size of the archive.
  func findStrays(first: Int = 0) -> [KeyedField] {
    var isReached = [Bool](repeating: false, count: objects.count)
    func references(of values: [KeyedValue]) -> [Int] {
      var numbers: [Int] = []
      for value in values { value.visitReferences { numbers.append($0) } }
      return numbers
    }
    func reach(_ starts: [Int]) {
      var rest = starts
      while let number = rest.popLast() {
        guard !isReached[number] else { continue }
        isReached[number] = true
        rest += references(of: objects[number].values)
      }
    }
    reach(references(of: top.map(\.value)))
    // An object that leads to others is left after them, also if they are on a circle: the last one leads to all of its part.
    var order: [Int] = []
    visitOutwards(objects.indices.dropFirst(), count: objects.count) { number in
      isReached[number] ? nil : references(of: objects[number].values)
    } leave: { number, _ in
      order.append(number)
    } cycle: { _, _, _ in
    }
    return order.reversed().compactMap { number in
      if isReached[number] || objects[number].isLost { return nil }
      if case .classDescription = objects[number].content { return nil }
      reach([number])
      return KeyedField(key: "$lost \(number - first)", value: .object(number))
    }
  }
}
