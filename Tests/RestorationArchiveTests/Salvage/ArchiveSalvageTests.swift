import PropertyKit
import FoundationEssentials
import RestorationArchive
import TestStage
import Testing

/// Salvage rescues all that is intact, alters nothing, and lists what is lost (R-7.6-1 to R-7.6-7).
@Suite struct ArchiveSalvageTests {
  /// An archive of 3,000 nodes and more than 2 MB.
  static let oracle = try? SalvageOracle(LargeArchive.tree(nodeCount: 3000, seed: 7, isRich: true))

  @Test("patterns of damage to 1 to 40 blocks: all that is intact is rescued, nothing altered, each loss listed")
  func rescuesWhatIsIntact() async throws {
    let oracle = try #require(Self.oracle)
    #expect(oracle.records.count == 3001)
    let count = TestStage.count(16, exhaustive: 2000)
    let archives = await withTaskGroup(of: Int.self) { group in
      for part in 0..<8 {
        group.addTask { stride(from: part, to: count, by: 8).count { Self.rescues(oracle, seed: UInt64($0)) } }
      }
      return await group.reduce(0, +)
    }
    #expect(archives * 200 >= count * 199, "\(archives) of \(count) patterns gave an archive")
  }

  private static func rescues(_ oracle: SalvageOracle, seed: UInt64) -> Bool {
    var random = SeededGenerator(seed: seed)
    let damaged = DamagePattern.damaged(oracle.bytes, using: &random)
    let salvage = ArchiveSalvage(damaged)
    guard oracle.compare(salvage, of: damaged, "seed \(seed)"), let archive = salvage.archive else { return false }
    // That what comes out is an archive with that content does not depend on the damage much; the check of it costs more than the rest.
    if seed % 20 == 0 {
      #expect(ArchiveCheck(archive).isValid, "seed \(seed)")
      let isSame = (try? ArchiveTree(decoding: archive)) == salvage.tree
      #expect(isSame, "seed \(seed)")
    }
    return true
  }
}
