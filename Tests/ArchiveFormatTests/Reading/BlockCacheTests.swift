import Testing

@testable import ArchiveFormat

/// The cache of the blocks of a file.
@Suite struct BlockCacheTests {
  @Test("four blocks that map to the same slot are kept; a fifth evicts the oldest")
  func keepsBlocksThatMeet() {
    var cache = BlockCache()
    for block in [1, 33, 9, 8001] {
      #expect(cache[block] == nil)
      cache.keep([UInt8(truncatingIfNeeded: block)], of: block)
    }
    #expect([1, 33, 9, 8001].allSatisfy { cache[$0] == [UInt8(truncatingIfNeeded: $0)] })
    cache.keep([0], of: 2)
    #expect(cache[1] == [1] && cache[2] == [0])
    cache.keep([17], of: 17)
    #expect(cache[1] == nil && cache[17] == [17])
    #expect([33, 9, 8001].allSatisfy { cache[$0] == [UInt8(truncatingIfNeeded: $0)] })
  }
}
