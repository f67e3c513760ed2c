import CorpusKit
import PropertyKit
import Foundation
import RestorationArchive
import Locking
import TestStage
import Testing

/// Opening an archive and reading one value of one node takes a few blocks, whatever the size.
@Suite struct LazyTests {
  /// Counts every byte that it delivers.
  final class CountingSource: ArchiveByteSource {
    private let bytes: [UInt8]
    private let delivered = Lock((bytes: 0, reads: 0))

    init(_ bytes: [UInt8]) {
      self.bytes = bytes
    }

    var count: (bytes: Int, reads: Int) { delivered.withLock { $0 } }

    func byteCount() throws(ArchiveError) -> Int { bytes.count }

    func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
      let result = Array(bytes[range.clamped(to: 0..<bytes.count)])
      delivered.withLock {
        $0.bytes += result.count
        $0.reads += 1
      }
      return result
    }
  }

  @Test(
    "reading one of 200,000 nodes, 11 levels deep, takes at most 64 blocks", arguments: TestStage.isExhaustive ? [2, 6, 16, 64] : [6])
  func readsFewBlocks(fanOut: Int) throws {
    let (archive, path) = try LargeArchive.deep(nodeCount: 200_000, depth: 11, fanOut: fanOut, seed: 3)
    #expect(path.count == 11)
    let source = CountingSource([UInt8](archive))
    let reader = try ArchiveReader(from: source)
    #expect(reader.nodeCount > 190_000)
    let text = try reader.decoder(at: path).decode(String.self, forKey: "text")
    #expect(text.hasPrefix("value "))
    #expect(source.count.bytes <= 64 * 4096, "\(source.count)")
    #expect(source.count.reads <= 64, "\(source.count)")
  }

  @Test("blocks read when opening are not read again: a small archive takes one read")
  func readsSmallArchivesOnce() throws {
    let files = try Corpus.files(in: "valid/apps").filter { $0.bytes.count <= 8192 }
    #expect(!files.isEmpty)
    for file in files {
      let source = CountingSource(file.bytes)
      _ = try ArchiveTree(decoding: ArchiveReader(from: source))
      #expect(source.count.reads == 1, "\(file.name)")
    }
  }

  @Test("reading a node again does not access the file, including its children, identifiers and state", arguments: [4, 8, 16])
  func keepsBlocks(fanOut: Int) throws {
    let (archive, path) = try LargeArchive.deep(nodeCount: 20_000, depth: 8, fanOut: fanOut, seed: 1)
    let source = CountingSource([UInt8](archive))
    let reader = try ArchiveReader(from: source)
    _ = try reader.decoder(at: path)
    let once = source.count.reads
    _ = try reader.decoder(at: path)
    #expect(source.count.reads == once, "\(once)")
  }

  @Test("opening reads at most two blocks")
  func opensCheaply() throws {
    let (archive, _) = try LargeArchive.deep(nodeCount: 20_000, depth: 4, fanOut: 8, seed: 1)
    let source = CountingSource([UInt8](archive))
    _ = try ArchiveReader(from: source)
    #expect(source.count.bytes <= 2 * 4096)
  }

  @Test("a failing source is an error, not damage")
  func reportsFailingSources() throws {
    struct Failing: ArchiveByteSource {
      func byteCount() throws(ArchiveError) -> Int { 1000 }
      func read(_ range: Range<Int>) throws(ArchiveError) -> [UInt8] {
        _ = try FileByteSource(path: "/nonexistent/file")
        return []
      }
    }
    let error = #expect(throws: ArchiveError.self) { try ArchiveReader(from: Failing()) }
    #expect(error?.kind == .inputOutput)
  }
}
