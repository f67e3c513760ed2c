import CorpusKit
import Foundation
import PropertyKit
import RestorationArchive
import SlowReader
import TestStage
import Testing

/// The chains of the corpus (Spec chapter 15).
@Suite struct ChainTests {
  @Test(
    "a chain gives the listed archive and error (R-11-11, R-13-5, R-15.3-1, R-15.3-2, R-15.3-3, R-15.4-1, R-15.4-2, R-15.4-3, R-15.4-4)",
    arguments: try CorpusChain.all())
  func resolves(_ chain: CorpusChain) {
    let resolved = ArchiveChain(base: chain.files[0], links: Array(chain.files.dropFirst()))
    #expect(resolved.appliedCount == chain.appliedCount)
    #expect(resolved.error.map(Self.text) == chain.error)
    #expect(resolved.bytes == chain.result)
  }

  /// Returns an error as the table of chains has it.
  private static func text(_ error: ArchiveError) -> String {
    if error.offset != nil { return ExpectedFinding(error).description }
    return "\(error.code.rawValue) - \(error.rule)"
  }

  /// Memory that was never written takes no space, as the holes of a sparse file take none.
  private static func untouched(_ count: Int) -> [UInt8] { unsafe [UInt8](unsafeUninitializedCapacity: count) { $1 = count } }

  @Test(
    "files of 4 GiB together stop a chain, before a checker reads the last one (R-15.4-1, R-15.4-4)",
    .enabled(if: ProcessInfo.processInfo.physicalMemory > 6 << 30))
  func limitsTotal() throws {
    let base = [UInt8](try ArchiveTree().encoded())
    let room = 0xffff_ffff - base.count
    for (length, code, rule) in [(room, "bad-magic", "R-4.2-1"), (room + 1, "file-too-large", "R-15.4-1")] {
      let chain = ArchiveChain(base: base, links: [Self.untouched(length)])
      #expect(chain.appliedCount == 0 && !chain.isBaseAtFault && chain.bytes == base)
      #expect(chain.error?.code.rawValue == code && chain.error?.rule == rule && (chain.error?.offset == nil) == (length > room))
    }
    #expect(slowResolve([base, Self.untouched(room + 1)]).error == "file-too-large")
  }

  @Test("a canonical link has the listed bytes, and gives the archive after it (R-13-8, R-15.5-1)", arguments: try CorpusLink.all())
  func makes(_ row: CorpusLink) throws {
    let digest = try ArchiveReader(link: row.before).contentDigest
    #expect(try ArchiveLink.make(from: row.old, to: row.new, after: digest) == row.link)
    let other = try ArchiveLink.rebased(row.link, after: ArchiveReader(row.old).contentDigest)
    #expect(ArchiveChain(base: row.old, links: [other]).bytes == row.new)
  }

  @Test("the slow reader resolves chains to the same content", arguments: try CorpusChain.all())
  func agrees(_ chain: CorpusChain) throws {
    let slow = slowResolve(chain.files)
    #expect(slow.appliedCount == chain.appliedCount && slow.error == chain.errorCode)
    guard chain.appliedCount > 0 else { return }
    var content = try slowRead(chain.result)
    (content.contentDigest, content.origins) = (0, [])
    #expect(slow.archive == content)
  }

  @Test("a link written from its JSON form has the same bytes", arguments: try Corpus.files(in: "links"))
  func convertsLinks(_ file: CorpusFile) throws {
    guard ArchiveCheck(file.bytes).isValid, !file.path.contains("later-version") else { return }
    let tree = try ArchiveTree(decoding: ArchiveReader(link: file.bytes))
    #expect([UInt8](try tree.encoded()) == file.bytes)
    let again = try ArchiveTree(json: tree.json(sensitiveValues: .reveal))
    #expect(again == tree, "R-J4-3")
    #expect([UInt8](try again.encoded()) == file.bytes)
  }

  @Test("chains of mutated files hold the property (R-11-2)", arguments: 0..<4)
  func mutates(_ part: Int) throws {
    let chains = try CorpusChain.all().filter { $0.files.count < 5 }
    for number in 0..<TestStage.count(15, exhaustive: 1000) {
      let seed = UInt64(3_000_000 + part * 10_000 + number)
      var random = SeededGenerator(seed: seed)
      var mutator = ArchiveMutator(seed: seed)
      var files = random.pick(chains).files
      let index = random.below(files.count)
      files[index] = mutator.mutate(files[index], limit: 8192)
      do {
        try ArchiveProperty.chain.check(Array(files.joined()))
        try ArchiveProperty.chain.check(files[index])
      } catch {
        Issue.record("seed \(seed): \(error)")
      }
    }
  }
}
