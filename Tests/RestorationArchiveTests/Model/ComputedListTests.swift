import Locking
import RestorationArchive
import Testing

@Suite struct ComputedListTests {
  @Test("an element is computed when it is accessed, each time, and no other is")
  func computesOnAccess() {
    let accesses = Lock<[Int]>([])
    let list = ComputedList(count: 1_000_000_000) { position in
      accesses.withLock { $0.append(position) }
      return position * 2
    }
    #expect(list.count == 1_000_000_000 && !list.isEmpty)
    #expect(accesses.withLock { $0 } == [])
    #expect([list[3], list[3]] == [6, 6])
    #expect(list.last == 1_999_999_998)
    #expect(accesses.withLock { $0 } == [3, 3, 999_999_999])
  }

  @Test("a list is described by its elements")
  func hasADescription() {
    #expect("\(ComputedList(count: 3) { "\($0)" })" == "\(["0", "1", "2"])")
    #expect(ComputedList<Int>([]).isEmpty && "\(ComputedList<Int>([]))" == "[]")
  }
}
