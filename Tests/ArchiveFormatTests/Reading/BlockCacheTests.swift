import Testing

@testable import ArchiveFormat

/// The cache of the blocks of a file.
@Suite struct BlockCacheTests {
  @Test("the last 32 blocks are kept, whatever their numbers")
  func keepsLastBlocks() {
    var cache = BlockCache()
    for block in 0..<33 {
      #expect(cache[32 * block] == nil)
      cache.keep([UInt8(block)], of: 32 * block)
    }
    #expect(cache[0] == nil && (1..<33).allSatisfy { cache[32 * $0] == [UInt8($0)] })
  }
}
