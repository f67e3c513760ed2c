import PropertyKit
import Foundation
import RestorationArchive
import SalvageKit
import TestStage
import Testing

/// Salvage rescues everything intact, alters nothing, and lists all losses (R-7.6-1 to R-7.6-7).
@Suite struct ArchiveSalvageTests {
  /// An archive of 3,000 nodes and more than 2 MB.
  static let oracle = try? SalvageOracle(LargeArchive.tree(nodeCount: 3000, seed: 7, isRich: true))

  @Test("with 1 to 40 damaged blocks, everything intact is rescued, nothing is altered, and each loss is listed")
  func rescuesWhatIsIntact() async throws {
    let oracle = try #require(Self.oracle)
    #expect(oracle.recordCount == 3001)
    let count = TestStage.count(10, exhaustive: 2000)
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
    let (hasArchive, problems) = oracle.compare(salvage, of: damaged)
    for problem in problems { Issue.record("seed \(seed): \(problem)") }
    guard hasArchive, let archive = salvage.archive else { return false }
    // The validity of the result hardly depends on the damage, and checking it takes longer than the rest.
    if seed % 20 == 0 {
      #expect(ArchiveCheck(archive).isValid, "seed \(seed)")
      let isSame = (try? ArchiveTree(decoding: archive)) == salvage.tree
      #expect(isSame, "seed \(seed)")
    }
    return true
  }
}
