import CorpusKit
import Testing

/// The bodies of the vectors about blocks lie where the names of the vectors state (Spec 4.2, 4.4).
@Suite struct BlockVectorTests {
  /// The range of the body, and the number of leaves for it.
  private static func body(of name: String) throws -> (range: Range<Int>, leafCount: Int) {
    let file = try #require(Corpus.files(in: "valid/vectors").first { $0.description.hasSuffix("/\(name).hex") })
    func number(_ place: Int) -> Int { (0..<4).reduce(0) { $0 | Int(file.bytes[place + $1]) << (8 * $1) } }
    let front = 64 + number(24) + number(28)
    return (front..<(file.bytes.count - front), number(28) / 8)
  }

  private static func blocks(_ range: Range<Int>) -> Int { (range.upperBound - 1) / 4096 - range.lowerBound / 4096 + 1 }

  @Test func acrossBlocks() throws {
    let (range, leafCount) = try Self.body(of: "body-across-blocks")
    #expect(range.count < 4096 && Self.blocks(range) == 2 && leafCount == 2)
  }

  @Test func fromBlockBoundary() throws {
    let (range, leafCount) = try Self.body(of: "body-from-block-boundary")
    #expect(range.lowerBound == 4096 && Self.blocks(range) == 1 && leafCount == 2)
  }

  @Test func oneWholeBlock() throws {
    #expect(try Self.body(of: "body-of-one-whole-block").range == 4096..<8192)
  }

  @Test func threeBlocks() throws {
    #expect(try Self.blocks(Self.body(of: "body-of-three-blocks").range) == 3)
  }
}
