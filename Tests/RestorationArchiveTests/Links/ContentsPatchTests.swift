import ArchiveFormat
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// Chains whose links only replace the contents of nodes (Spec 15.3).
@Suite struct ContentsPatchTests {
  /// The files of a chain, and the archive that it stands for.
  private struct Chain {
    var files: [[UInt8]]
    var result: [UInt8]

    /// Whether the base is patched; nil if the chain cannot be resolved.
    var isPatched: Bool? {
      let checked = files.compactMap { ChainFile(ArchiveChecker($0)) }
      var tried = 0
      guard checked.count == files.count, let result = try? ChainWriter.write(checked[0], checked[1...], tried: &tried) else { return nil }
      if case .patch = result { return true }
      return false
    }
  }

  /// Returns a chain with a link for each of the states after the first.
  private func chain(_ states: [ArchiveTree]) throws -> Chain {
    let archives = try states.map { try ArchiveChainTests.bytes($0) }
    var chain = Chain(files: [archives[0]], result: archives[archives.count - 1])
    for (last, next) in zip(archives, archives.dropFirst()) {
      let before = try ArchiveChainTests.digest(chain.files[chain.files.count - 1])
      chain.files.append(try ArchiveLink.make(from: last, to: next, after: before))
    }
    return chain
  }

  private func expectResult(_ chain: Chain, _ comment: Comment) {
    let resolved = ArchiveChain(base: chain.files[0], links: Array(chain.files.dropFirst()))
    #expect(resolved.error == nil, comment)
    #expect(resolved.bytes == chain.result, comment)
  }

  @Test("patched archives are those that the writer makes, byte for byte (R-15.3-4)", arguments: 0..<4)
  func agreesWithTheWriter(_ part: Int) throws {
    var counts = (patched: 0, written: 0)
    for index in 0..<TestStage.count(15, exhaustive: 500) {
      let seed = UInt64(part * 1_000_000 + index)
      var random = SeededGenerator(seed: seed)
      var history = EditHistory(seed: random.next(), nodeCount: random.oneIn(10) ? 300 : 24)
      history.editContents(count: 30)
      var states = [history.tree]
      for _ in 0...random.below(6) {
        history.editContents(count: 1 + random.below(4))
        states.append(history.tree)
      }
      let chain = try chain(states)
      expectResult(chain, "seed \(seed)")
      let isPatched = try #require(chain.isPatched as Bool?, "seed \(seed)")
      if isPatched { counts.patched += 1 } else { counts.written += 1 }
    }
    // Both are compared.
    #expect(counts.patched > 0 && counts.written > 0, "\(counts)")
  }

  /// A window with three rows.
  private var window: ArchiveTree {
    let rows = (0..<3).map { ArchiveNode("\($0)", type: "Row", state: ["title": .string("row \($0)"), "height": 20]) }
    return ArchiveTree(
      header: ArchiveHeader(bundleVersion: "1"), applicationState: ["theme": "dark"],
      nodes: [ArchiveNode("window", type: "Window", state: ["zoom": 1], children: rows)])
  }

  @Test("state records that become longer, shorter, or very long move those after them")
  func changesLengths() throws {
    var states = [window]
    for (row, count) in [(0, 400), (2, 3), (1, 70_000), (1, 0), (0, 1)] {
      var next = states[states.count - 1]
      next.nodes[0].children[row].state["title"] = .string(String(repeating: "t", count: count))
      states.append(next)
      let chain = try chain(states)
      #expect(chain.isPatched == true)
      expectResult(chain, "row \(row) with \(count) bytes")
    }
  }

  @Test("a new header and a new application state are patched too")
  func changesTheApplication() throws {
    var next = window
    next.header = ArchiveHeader(bundleVersion: "a longer version than before", systemVersion: "15.1")
    next.applicationState = ["theme": "a longer theme"]
    let chain = try chain([window, next])
    #expect(chain.isPatched == true)
    expectResult(chain, "header and application")
  }

  @Test("a key may leave one node if another one has it, and is dropped with its last use")
  func dropsKeys() throws {
    var one = window
    one.nodes[0].children[0].state["height"] = nil
    let first = try chain([window, one])
    #expect(first.isPatched == true)
    expectResult(first, "two rows have a height")
    one.nodes[0].children[1].state["height"] = nil
    one.nodes[0].children[2].state["height"] = nil
    let last = try chain([window, one])
    #expect(last.isPatched == false)
    expectResult(last, "no row has a height")
  }

  @Test("new keys and types, new and moved nodes, and records that come or go need the writer")
  func leavesOthersToTheWriter() throws {
    let edits: [(String, (inout ArchiveTree) -> Void)] = [
      ("key", { $0.nodes[0].state["new"] = 1 }), ("type", { $0.nodes[0].children[1].type = "Column" }),
      ("node", { $0.nodes[0].children.append(ArchiveNode("3", type: "Row", state: ["height": 1])) }),
      ("order", { $0.nodes[0].children.swapAt(0, 2) }), ("removal", { $0.nodes[0].children.removeLast() }),
      ("no state", { $0.nodes[0].children[0].state = [:] }), ("no application state", { $0.applicationState = [:] }),
    ]
    for (name, edit) in edits {
      var next = window
      edit(&next)
      let chain = try chain([window, next])
      #expect(chain.isPatched == false, "\(name)")
      expectResult(chain, "\(name)")
    }
  }

  @Test("bytes that something else holds stay as they are")
  func leavesTheBase() throws {
    var next = window
    next.nodes[0].state["zoom"] = 2
    let chain = try chain([window, next])
    let base = chain.files[0]
    let copy = base.map { $0 }
    #expect(ArchiveChain(base: base, links: [chain.files[1]]).bytes == chain.result)
    #expect(base == copy)
  }
}
