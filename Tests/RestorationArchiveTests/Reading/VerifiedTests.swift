import ArchiveFormat
import CorpusKit
import PropertyKit
import Foundation
import ProcessKit
import RestorationArchive
import TestStage
import Testing

/// No byte is trusted before its checksum is verified (R-4.4-3), and no damage is accepted as content.
@Suite struct VerifiedTests {
  static func small() throws -> [CorpusFile] { try Corpus.files(in: "valid") { $0.bytes.count <= 4096 } }
  static func medium() throws -> [CorpusFile] { try Corpus.files(in: "valid") { (4097...16_384).contains($0.bytes.count) } }

  /// The bits of a file to flip one at a time: all of them, or about `sample` of them, different in each file.
  private static func bits(of file: CorpusFile, about sample: Int) -> [Int] {
    let count = file.bytes.count * 8
    // An odd step reaches every bit position in a byte.
    let step = TestStage.step(count / sample | 1)
    return Array(stride(from: file.path.utf8.reduce(0) { $0 + Int($1) } % step, to: count, by: step))
  }

  @Test("every flipped bit is found, and no read returns a changed value", arguments: try small())
  func findsEveryBit(_ file: CorpusFile) throws {
    let original = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    for bit in Self.bits(of: file, about: 48) { try expectFound(file.bytes, flipping: bit, original) }
  }

  @Test("a flipped bit in any byte is found, and no read returns a changed value", arguments: try medium())
  func findsEveryByte(_ file: CorpusFile) throws {
    let original = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    for index in TestStage.every(file.bytes.count / 48, of: file.bytes.indices) {
      try expectFound(file.bytes, flipping: index * 8 + index % 8, original)
    }
  }

  private func expectFound(_ bytes: [UInt8], flipping bit: Int, _ original: ArchiveTree) throws {
    var damaged = bytes
    damaged[bit / 8] ^= 1 << UInt8(bit % 8)
    if ArchiveChecker(damaged).findings.isEmpty { Issue.record("bit \(bit): nothing was found") }
    guard let tree = try? ArchiveTree(decoding: ArchiveReader(damaged)) else { return }
    // If prefix, metadata or tree are damaged, the other copy is read.
    if tree != original { Issue.record("bit \(bit): another content was read") }
  }

  /// Small archives have one or two blocks: a flip in the body loses all of it, a flip elsewhere nothing.
  @Test("salvage after any flipped bit returns the original or reports the losses (R-7.6-1)", arguments: try small())
  func salvagesEveryBit(_ file: CorpusFile) throws {
    let original = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    var damaged = file.bytes
    for bit in Self.bits(of: file, about: 16) {
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      let salvage = ArchiveSalvage(damaged)
      // Comparing is slower than salvage. If losses are reported, other tests verify that they are correct.
      let isSaid = salvage.archive == nil ? salvage.failure != nil : !salvage.losses.isEmpty || salvage.tree == original
      if !isSaid { Issue.record("bit \(bit)") }
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
    }
  }

  /// All of them take hours: `swift run -c release archive-probe flips 0 1`.
  @Test("sampled flips and cuts of corpus files cause no trap, and no altered content is accepted")
  func survivesFlips() throws {
    let probe = try TestProcess.run("archive-probe", TestStage.isExhaustive ? ["flips", "0", "1", "97"] : ["flips", "0", "4", "480013"])
    #expect(probe.status == 0)
    let lines = probe.text.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasSuffix(" beginnings"), "\(probe.text)")
  }

  @Test("every other length is rejected (R-4.1-2)", arguments: try small() + medium())
  func refusesOtherLengths(_ file: CorpusFile) throws {
    let step = TestStage.count(file.bytes.count / 48, exhaustive: file.bytes.count <= 4096 ? 1 : 7)
    for length in Array(stride(from: 0, to: file.bytes.count, by: step)) + [file.bytes.count - 1] {
      if (try? ArchiveReader([UInt8](file.bytes.prefix(length)))) != nil { Issue.record("\(length) bytes are accepted") }
    }
    for extra in [1, 2, 63, 64, 65, 4096] {
      for filler in [UInt8(0), 0xFF] {
        let longer = file.bytes + [UInt8](repeating: filler, count: extra)
        #expect(throws: ArchiveError.self) { try ArchiveReader(longer) }
        #expect(ArchiveCheck(longer).findings.first?.code == .trailingBytes)
      }
    }
    #expect(throws: ArchiveError.self) { try ArchiveReader(file.bytes + file.bytes) }
  }

  @Test("many flipped bits at once are found", arguments: UInt64(0)..<20)
  func findsSeededDamage(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = random.pick(try Self.small())
    for _ in 0..<100 {
      var damaged = file.bytes
      for _ in 0..<(1 + random.below(20)) { damaged[random.below(damaged.count)] ^= UInt8(1 + random.below(255)) }
      if damaged == file.bytes { continue }
      #expect(!ArchiveCheck(damaged).findings.isEmpty, "seed \(seed), \(file.path)")
    }
  }
}
