import PropertyKit
import Testing

@testable import ArchiveFormat

/// The sets that keep the checker linear, compared with naive implementations.
@Suite struct DisjointRangesTests {
  @Test("the next member is the one that a linear search finds", arguments: [1, 63, 64, 65, 4096, 4097, 300_000])
  func findsMembers(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    var set = SparseSet(count: count)
    var members: [Int] = []
    for _ in 0..<60 {
      let number = random.below(count)
      set.insert(number)
      members.append(number)
      let start = random.below(count)
      #expect(set.first(from: start) == members.filter { $0 >= start }.min())
    }
    #expect(set.first(from: count) == nil)
  }

  @Test("a range is rejected if and only if it overlaps an inserted range", arguments: UInt64(0)..<20)
  func refusesOverlaps(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let count = 1 + random.below(2000)
    var ranges = DisjointRanges(count: count)
    var taken: [Range<Int>] = []
    for _ in 0..<200 {
      let start = random.below(count)
      let range = start..<min(start + random.below(30), count)
      let isFree = range.isEmpty || !taken.contains { $0.overlaps(range) }
      #expect(ranges.overlaps(range) == !isFree, "seed \(seed), \(range)")
      #expect(ranges.insert(range) == isFree, "seed \(seed), \(range)")
      if isFree, !range.isEmpty { taken.append(range) }
    }
  }
}
