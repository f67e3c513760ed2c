import SlowReader
import PropertyKit
import ProcessKit
import Foundation
import RestorationArchive
import TestStage
import Testing

/// Equal content gives equal bytes (R-8-1), whatever the insertion order, process or hash seed.
@Suite struct CanonicalTests {
  /// Batches, so that a failure names the seeds.
  static let batches = (0..<UInt64(TestStage.count(2, exhaustive: 10))).map {
    $0 * 100...$0 * 100 + UInt64(TestStage.count(29, exhaustive: 99))
  }

  @Test("shuffled insertion gives the same bytes, in this process and in two others (R-8-1, Behaviours 9)", arguments: batches)
  func isIndependentOfOrder(_ seeds: ClosedRange<UInt64>) throws {
    var expected = ""
    for seed in seeds {
      var generator = TreeGenerator(seed: seed)
      let archive = try generator.tree().encoded()
      let reader = try ArchiveReader(archive)
      expected += "\(seed) \(archive.count) \(reader.contentDigest) \(SlowXXH64.hash([UInt8](archive), seed: 0))\n"
    }
    for _ in 0..<2 {
      let child = try TestProcess.run("archive-probe", ["digests", "\(seeds.lowerBound)", "\(seeds.upperBound)"])
      #expect(child.status == 0)
      #expect(child.text == expected)
    }
  }

  @Test("an archive round-trips through JSON and decoding without findings (R-13-2, R-8-3)", arguments: batches)
  func roundTrips(_ seeds: ClosedRange<UInt64>) throws {
    for seed in seeds {
      var generator = TreeGenerator(seed: seed)
      let tree = generator.tree()
      let archive = try tree.encoded()
      #expect(ArchiveCheck(archive).findings.isEmpty, "seed \(seed)")
      #expect(slowCheck([UInt8](archive)).isEmpty, "seed \(seed)")
      let decoded = try ArchiveTree(decoding: archive)
      #expect(decoded == tree, "seed \(seed)")
      #expect(try decoded.encoded() == archive, "seed \(seed)")
      let json = decoded.json()
      let reread = try ArchiveTree(json: json)
      #expect(try reread.encoded() == archive, "seed \(seed)")
      #expect(reread.json() == json, "seed \(seed)")
    }
  }

  @Test("the content digest covers everything except the volatile header (R-4.6-1)", arguments: UInt64(0)..<40)
  func digestsContent(_ seed: UInt64) throws {
    var generator = TreeGenerator(seed: seed)
    var tree = generator.tree()
    tree.header.bundleVersion = "1"
    if tree.nodes.isEmpty { tree.nodes = [ArchiveNode("root")] }
    let digest = try contentDigest(of: tree)

    for change: (inout ArchiveTree) -> Void in [
      { $0.header.timestamp = Date(timeIntervalSinceReferenceDate: 12.5) }, { $0.header.timestamp = nil },
      { $0.header.systemVersion = "another, longer one" }, { $0.header.writer = "w" },
    ] {
      var changed = tree
      change(&changed)
      #expect(try contentDigest(of: changed) == digest)
    }
    for change in Self.contentChanges {
      var changed = tree
      change(&changed)
      #expect(try contentDigest(of: changed) != digest)
    }
  }

  /// One change to each part of the content.
  static let contentChanges: [@Sendable (inout ArchiveTree) -> Void] = [
    { $0.header.bundleVersion = "2" },
    { $0.header.bundleIdentifier = "org.example.other" },
    { $0.header.userInterfaceIdiom = .watch },
    { $0.header.additional["com.example.added"] = true },
    { $0.applicationState["added"] = 1 },
    { $0.nodes.append(ArchiveNode("added")) },
    { $0.nodes[0].identifier += "!" },
    { $0.nodes[0].type = "Added" },
    {
      $0.nodes[0].type = "T"; $0.nodes[0].schemaVersion = 77
    },
    { $0.nodes[0].origin = ArchiveOrigin(bundleVersion: "0", sessionsCarried: 9999) },
    { $0.nodes[0].provider = ProviderReference(name: "p", identifier: "added") },
    { $0.nodes[0].attributes["com.example.added"] = nil as ArchiveValue? ?? .null },
    { $0.nodes[0].state["added"] = 0.5 },
    { $0.nodes[0].children.append(ArchiveNode("added child")) },
    {
      $0.applicationState["a"] = 1; $0.applicationState.setSensitive(true, forKey: "a")
    },
    { if let section = try? ArchiveSection(code: "xtRa", data: Data([1])) { $0.sections.append(section) } },
  ]

  private func contentDigest(of tree: ArchiveTree) throws -> ContentDigest {
    try ArchiveReader(try tree.encoded()).contentDigest
  }

  @Test("saved order is content, and round-trips")
  func keepsSavedOrder() throws {
    let forth = ArchiveTree(nodes: [ArchiveNode("b"), ArchiveNode("a"), ArchiveNode("c")])
    let back = ArchiveTree(nodes: [ArchiveNode("c"), ArchiveNode("b"), ArchiveNode("a")])
    #expect(try ArchiveTree(decoding: forth.encoded()).nodes.map(\.identifier) == ["b", "a", "c"])
    #expect(try contentDigest(of: forth) != contentDigest(of: back))
  }
}
