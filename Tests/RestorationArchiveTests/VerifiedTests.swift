import ArchiveFormat
import CorpusKit
import FoundationEssentials
import ProcessKit
import RestorationArchive
import Testing

/// No byte is believed before its checksum was checked (R-4.4-3), and no damage passes for content.
@Suite struct VerifiedTests {
  static let small = (try? Corpus.files(in: "valid").filter { $0.bytes.count <= 4096 }) ?? []
  static let medium = (try? Corpus.files(in: "valid").filter { (4097...16_384).contains($0.bytes.count) }) ?? []

  @Test("every flipped bit is found, and no read returns a changed value", arguments: small)
  func findsEveryBit(_ file: CorpusFile) throws {
    let original = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    for index in file.bytes.indices {
      for bit in 0..<8 { try expectFound(file.bytes, flipping: 1 << UInt8(bit), at: index, original) }
    }
  }

  @Test("a flipped bit in any byte is found, and no read returns a changed value", arguments: medium)
  func findsEveryByte(_ file: CorpusFile) throws {
    let original = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    for index in file.bytes.indices { try expectFound(file.bytes, flipping: 1 << UInt8(index % 8), at: index, original) }
  }

  private func expectFound(_ bytes: [UInt8], flipping mask: UInt8, at index: Int, _ original: ArchiveTree) throws {
    var damaged = bytes
    damaged[index] ^= mask
    let hasFindings = !ArchiveChecker(damaged).findings.isEmpty
    #expect(hasFindings, "byte \(index), bits \(mask)")
    guard let tree = try? ArchiveTree(decoding: ArchiveReader(damaged)) else { return }
    // The other copy is read where the damage is to the prefix, the metadata or the tree.
    #expect(tree == original, "byte \(index), bits \(mask)")
  }

  /// Small archives have one block or two: a flip in the body costs all of it, one elsewhere nothing.
  @Test("salvage of every flipped bit gives the original or says what is lost (R-7.6-1)", arguments: small)
  func salvagesEveryBit(_ file: CorpusFile) throws {
    let original = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    var damaged = file.bytes
    for index in file.bytes.indices {
      for bit in 0..<8 {
        damaged[index] ^= 1 << UInt8(bit)
        let salvage = ArchiveSalvage(damaged)
        // Comparing costs more than salvage; where losses are said, the other tests say that they are the right ones.
        let isSaid = salvage.archive == nil ? salvage.failure != nil : !salvage.losses.isEmpty || salvage.tree == original
        if !isSaid { Issue.record("byte \(index), bit \(bit)") }
        damaged[index] ^= 1 << UInt8(bit)
      }
    }
  }

  /// All of them take a release build: `swift run -c release archive-probe flips 0 1`.
  @Test("a sample of flips and cuts of every file of the corpus: nothing traps, nothing altered is accepted")
  func survivesFlips() throws {
    let probe = try TestProcess.run("archive-probe", ["flips", "0", "1", "997"])
    #expect(probe.status == 0)
    let lines = probe.text.split(separator: "\n")
    #expect(lines.count == 1 && lines[0].hasSuffix(" beginnings"), "\(probe.text)")
  }

  @Test("every other length is refused (R-4.1-2)", arguments: small + medium)
  func refusesOtherLengths(_ file: CorpusFile) throws {
    let step = file.bytes.count <= 4096 ? 1 : 7
    for length in stride(from: 0, to: file.bytes.count, by: step) {
      #expect(throws: ArchiveError.self, "\(length) bytes") { try ArchiveReader([UInt8](file.bytes.prefix(length))) }
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

  @Test("flips of many bits at once are found", arguments: UInt64(0)..<20)
  func findsSeededDamage(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let file = random.pick(Self.small)
    for _ in 0..<100 {
      var damaged = file.bytes
      for _ in 0..<(1 + random.below(20)) { damaged[random.below(damaged.count)] ^= UInt8(1 + random.below(255)) }
      if damaged == file.bytes { continue }
      #expect(!ArchiveCheck(damaged).findings.isEmpty, "seed \(seed), \(file.path)")
    }
  }
}
