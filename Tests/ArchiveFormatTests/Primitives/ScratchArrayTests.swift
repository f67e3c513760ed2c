import ArchiveFormat
import PropertyKit
import Storage
import Testing

/// Sorting plain values.
@Suite struct ScratchArrayTests {
  /// An element with a field that does not take part in the order.
  private struct Element: BitwiseCopyable, Equatable {
    var key: UInt8
    var place: Int
  }

  private static func elements(seed: UInt64, count: Int) -> [Element] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { Element(key: UInt8(truncatingIfNeeded: random.below(8)), place: $0) }
  }

  private static func sorted(_ elements: [Element], by sort: (inout ScratchArray<Element>) -> Void) -> [Element] {
    var array = ScratchArray<Element>(capacity: 0)
    for element in elements { array.append(element) }
    sort(&array)
    return (0..<array.count).map { array[$0] }
  }

  @Test("equal elements keep their order", arguments: [0, 1, 2, 3, 12, 24, 64])
  func sortsStably(_ count: Int) {
    for seed in UInt64(1)...20 {
      let elements = Self.elements(seed: seed, count: count)
      let expected = elements.sorted { ($0.key, $0.place) < ($1.key, $1.place) }
      #expect(Self.sorted(elements) { $0.binaryInsertionSort { $0.key < $1.key } } == expected, "seed \(seed)")
    }
  }

  @Test("an element can be inserted at any index")
  func inserts() {
    let elements = Self.elements(seed: 7, count: 20)
    for place in 0...elements.count {
      var expected = elements
      expected.insert(Element(key: 9, place: -1), at: place)
      #expect(Self.sorted(elements) { $0.insert(Element(key: 9, place: -1), at: place) } == expected)
    }
  }
}
