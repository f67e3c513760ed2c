import SlowReader
import PropertyKit
import Foundation
import RestorationArchive
import SalvageKit
import TestStage
import Testing

/// Damage affects the contents of the damaged block and nothing else (R-7.1-1 to R-7.1-4).
@Suite struct ContainedTests {
  /// An archive of 3,000 nodes, with the byte ranges of each node.
  static let sample = try? Sample()

  struct Sample: Sendable {
    let bytes: [UInt8]
    let nodes: [NodePlace]

    init() throws {
      let tree = LargeArchive.tree(nodeCount: 3000, seed: 7)
      bytes = [UInt8](try tree.encoded())
      let content = try slowRead(bytes)
      nodes = try NodePlace.all(in: bytes, content: content, tree: tree)
    }

    var blocks: Range<Int> { 0..<((bytes.count + 4095) / 4096) }
  }

  @Test("with any block overwritten, everything in other blocks still reads by path, and the check lists the losses (R-7.1-3)")
  func containsDamage() throws {
    let sample = try #require(Self.sample)
    #expect(sample.nodes.count == 3000)
    // The first stage takes every 41st block, and the last one, which lies in the second copy.
    for block in Set(TestStage.every(41, of: sample.blocks) + [sample.blocks.upperBound - 1]).sorted() {
      var damaged = sample.bytes
      let range = (block * 4096)..<min((block + 1) * 4096, damaged.count)
      for index in range { damaged[index] ^= 0x5A }
      let reader = try ArchiveReader(damaged)
      var lostPaths: Set<RestorationPath> = []
      for node in sample.nodes {
        let isIntact = !node.needed.contains { $0.overlaps(range) }
        let state = try? reader.node(at: node.path)?.state()
        if isIntact {
          #expect(state == node.state, "block \(block), path \(node.path)")
        } else {
          #expect(state == nil, "block \(block), path \(node.path)")
          lostPaths.insert(node.path)
        }
      }
      try expectCosts(damaged, range, lostPaths, sample)
    }
  }

  private func expectCosts(_ damaged: [UInt8], _ range: Range<Int>, _ lost: Set<RestorationPath>, _ sample: Sample) throws {
    let check = ArchiveCheck(damaged)
    #expect(!check.findings.isEmpty)
    #expect(check.losses.allSatisfy { range.contains($0.range.lowerBound) && $0.range.upperBound <= range.upperBound })
    let states = check.losses.reduce(into: Set<RestorationPath>()) { $0.formUnion($1.states) }
    let nodeCount = check.losses.reduce(0) { $0 + $1.nodes.count + $1.unreachableCount }
    #expect(states.subtracting([.application]).isSubset(of: lost))
    // Record 0 belongs to the app and is not a node of the sample.
    let rootLosses = check.losses.reduce(0) { count, loss in count + loss.nodes.filter { $0.record == 0 }.count }
    let applications = states.contains(.application) ? 1 : 0
    #expect(
      states.count - applications + nodeCount - rootLosses == lost.count,
      "\(range): \(states.count) states, \(nodeCount) nodes, \(rootLosses) roots, \(lost.count) lost")
  }

  @Test("either copy of prefix, metadata and tree is sufficient (R-7.1-1, R-7.1-2)", arguments: [true, false])
  func eitherCopyIsEnough(damagesFirst: Bool) throws {
    let sample = try #require(Self.sample)
    var damaged = sample.bytes
    let body = try #require(sample.nodes.first).bodyRange
    let range = damagesFirst ? 0..<body.lowerBound : body.upperBound..<damaged.count
    for index in range { damaged[index] = 0 }
    let reader = try ArchiveReader(damaged)
    for node in sample.nodes { #expect(try reader.node(at: node.path)?.state() == node.state) }
    #expect(ArchiveCheck(damaged).findings.allSatisfy { $0.kind == .damaged })
    #expect(ArchiveCheck(damaged).losses.isEmpty)
  }

  @Test("a node that a damaged block may hide is not reported as absent (R-7.1-4)")
  func doesNotDenyHiddenNodes() throws {
    let sample = try #require(Self.sample)
    let last = try #require(sample.nodes.max { $0.path.count < $1.path.count })
    let parent = try #require(last.path.parent)
    var damaged = sample.bytes
    for index in last.record { damaged[index] ^= 1 }
    let reader = try ArchiveReader(damaged)
    let error = #expect(throws: ArchiveError.self) { try reader.node(at: last.path) }
    #expect(error?.code == .blockDamaged)
    #expect(throws: ArchiveError.self) { try reader.node(at: parent.appending("no such child")) }
  }

  @Test("lookups that the bytes in the records decide do not need the strings (Spec §7.4)")
  func decidesByRecords() throws {
    let nodes = (100..<500).map { ArchiveNode("twelve-bytes and then \($0)") }
    var damaged = [UInt8](try ArchiveTree(nodes: nodes).encoded())
    let sections = ArchiveSections(damaged)
    // The block with the last records stays intact, and with it some of the strings.
    for index in (sections.strings + 4096)..<sections.states { damaged[index] ^= 1 }
    let reader = try ArchiveReader(damaged)
    for identifier in ["twelve-bytes", "twelve-byte", "t", "twelve-bytez and then 300", "a name of more than eighteen bytes"] {
      #expect(try reader.node(at: RestorationPath.application.appending(identifier)) == nil, "\(identifier)")
    }
    for identifier in ["twelve-bytes ", "twelve-bytes and t", "twelve-bytes and then 300"] {
      let error = #expect(throws: ArchiveError.self) { try reader.node(at: RestorationPath.application.appending(identifier)) }
      #expect(error?.code == .blockDamaged, "\(identifier)")
    }
  }
}
