import Storage
import Testing

/// Arrays of plain values.
@Suite struct ScratchArrayTests {
  @Test("an element can be inserted at any index")
  func inserts() {
    let elements = Array(0..<20)
    for place in 0...elements.count {
      var expected = elements
      expected.insert(-1, at: place)
      var array = ScratchArray<Int>(capacity: 0)
      for element in elements { array.append(element) }
      array.insert(-1, at: place)
      #expect(array.makeArray() == expected)
    }
  }
}
