import PropertyKit
import StateRestoration
import Testing

/// Archives designed to be as expensive as possible for the engine.
@Suite struct HostileArchiveTests {
  @Test(
    "the engine has no more nodes than there are records, and reports omissions", arguments: HostileArchive.all(count: 300))
  func ends(_ file: HostileArchive) throws {
    guard let archive = try? ArchiveReader(file.bytes) else {
      let refused = ["more origins declared than there are", "cut in the middle", "four gigabytes, of which a little is there"]
      return #expect(refused.contains(file.name))
    }
    let resolution = ArchiveResolution(of: archive, with: Resolver())
    #expect(resolution.nodes.count <= archive.nodeCount)
    let claims = resolution.unreadable.filter { $0.code.rawValue == "child-range" }
    if file.name == "nodes that claim all nodes behind them" {
      #expect(!claims.isEmpty)
      #expect(claims.allSatisfy { $0.path != nil && $0.description.contains("children: expected children of no other node") })
    } else if archive.nodeCount > 0, ArchiveCheck(file.bytes).isValid {
      #expect(resolution.unreadable.isEmpty && resolution.nodes.count == archive.nodeCount)
    }
  }
}
