extension KeyedValue {
  /// Calls `body` with the number of each object that a value refers to; returns the number of other values in it, with the
  /// weight of text and data.
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
    case .string(let text): return 1 + Self.weight(of: text.utf8.count)
    case .data(let bytes): return 1 + Self.weight(of: bytes.count)
    default: return 1
    }
  }

  /// The number of values that text or data counts as, besides itself: its copies take as much space.
  fileprivate static func weight(of byteCount: Int) -> Int { byteCount / 32 }
}

extension KeyedObject {
  /// The weight of the text or data that the object is.
  var textWeight: Int {
    switch content {
    case .string(let text), .url(_, let text): KeyedValue.weight(of: text.utf8.count)
    case .data(let bytes): KeyedValue.weight(of: bytes.count)
    default: 0
    }
  }

  /// Whether the object is the description of a class, or one of which nothing is left.
  var isDescriptionOrEmpty: Bool {
    if case .classDescription = content { true } else { isLost && values.count == 1 }
  }
}

extension KeyedArchive {
  /// Finds the objects to which nothing leads, each part of the graph that hangs together by the object that leads to all others
  /// in it: what led to that one was lost.
  ///
  /// - Parameter passesLost: Whether what an object whose class is lost leads to is read there.
  /// - Returns: The objects, named like values without a key (`Spec/imports.md`, rule R-K2-8).
  /// - Complexity: O(n) in the size of the archive.
  func findStrays(passesLost: Bool = true) -> [KeyedField] {
    var isReached = [Bool](repeating: false, count: objects.count)
    func references(of values: [KeyedValue]) -> [Int] {
      var numbers: [Int] = []
      for value in values { value.visitReferences { numbers.append($0) } }
      return numbers
    }
    func reach(_ starts: [Int], passesLost: Bool = true) {
      var rest = starts
      while let number = rest.popLast() {
        guard !isReached[number], passesLost || !objects[number].isLost else { continue }
        isReached[number] = true
        rest += references(of: objects[number].values)
      }
    }
    reach(references(of: top.map(\.value)), passesLost: passesLost)
    // An object that leads to others is left after them, also if they are on a circle: the last one leads to all of its part.
    var order: [Int] = []
    visitOutwards(objects.indices.dropFirst(), count: objects.count) { number in
      isReached[number] ? nil : references(of: objects[number].values)
    } leave: { number, _ in
      order.append(number)
    } cycle: { _, _, _ in
    }
    return order.reversed().compactMap { number in
      if isReached[number] || objects[number].isDescriptionOrEmpty { return nil }
      reach([number])
      return KeyedField(key: "$lost \(self.number(of: number))", value: .object(number))
    }
  }
}
