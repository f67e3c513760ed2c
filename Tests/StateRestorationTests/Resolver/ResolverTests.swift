import EngineKit
import Foundation
import StateRestoration
import Testing

@Suite struct ResolverTests {
  @Test("copying, renaming and moving a value in an upgrade keep its mark as sensitive; setting a value can mark it")
  func keepsMarksInUpgrades() throws {
    var node = ArchiveNode("e", type: "Editor", schemaVersion: 1, state: ["secret": "s", "open": 1])
    node.state.setSensitive(true, forKey: "secret")
    let e = SampleObject("e")
    var marks: [String: Bool] = [:]
    let resolver = try Resolver {
      Upgrade(type: "Editor", from: 1, to: 2) { state in
        state.copy("secret", to: "copy")
        state.copy("absent", to: "nothing")
        state.rename("secret", to: "renamed")
        state.set("made", to: "m", isSensitive: true)
        state.set("open", to: 2)
        for entry in state.values { marks[entry.key] = entry.isSensitive }
      }
    }
    _ = try RestorableTree(roots: [e]).restore(from: ArchiveReader(ArchiveTree(nodes: [node]).encoded()), with: resolver)
    #expect(marks == ["copy": true, "renamed": true, "made": true, "open": false])
  }

  @Test("all mistakes are reported in one error, with their source locations")
  func collectsMistakes() throws {
    do {
      _ = try Resolver {
        Factory(path: "a//b", fileID: "App/R.swift", line: 1) { _ in nil }
        Factory(path: "", fileID: "App/R.swift", line: 2) { _ in nil }
        Factory(path: "a", fileID: "App/R.swift", line: 3) { _ in nil }
        Factory(path: "a", fileID: "App/R.swift", line: 4) { _ in nil }
        Factory(type: "", fileID: "App/R.swift", line: 5) { _ in nil }
        Factory(type: "T", fileID: "App/R.swift", line: 6) { _ in nil }
        Factory(type: "T", fileID: "App/R.swift", line: 7) { _ in nil }
        Tombstone("a", fileID: "App/R.swift", line: 8)
        Alias("x/*", to: "y", fileID: "App/R.swift", line: 9)
        Alias("c", to: "c/d", fileID: "App/R.swift", line: 10)
        Alias("m", to: "n", fileID: "App/R.swift", line: 11)
        Alias("n", to: "o", fileID: "App/R.swift", line: 12)
        Alias("o", to: "m", fileID: "App/R.swift", line: 13)
        Alias("m", to: "q", fileID: "App/R.swift", line: 14)
        Upgrade(type: "T", from: 2, to: 2, fileID: "App/R.swift", line: 15) { _ in }
        Upgrade(type: "T", from: 1, to: 2, fileID: "App/R.swift", line: 16) { _ in }
        Upgrade(type: "T", from: 1, to: 3, fileID: "App/R.swift", line: 17) { _ in }
        Upgrade(type: "T", from: 3, to: 4, fileID: "App/R.swift", line: 18) { _ in }
        Alias(type: "P", to: "Q", fileID: "App/R.swift", line: 19)
        Alias(type: "Q", to: "P", fileID: "App/R.swift", line: 20)
        Factory(path: "a*", fileID: "App/R.swift", line: 21) { _ in nil }
      }
      Issue.record("no mistake was found")
    } catch let error as ResolverError {
      let text = error.description.split(separator: "\n").map(String.init)
      #expect(
        text == [
          "18 mistakes in the resolver",
          "App/R.swift:1: \"a//b\" is not a path or pattern: pattern: expected an identifier (at offset 0x2) [R-3.1-4]",
          "App/R.swift:2: the empty path is the app itself and has no object",
          "App/R.swift:4: \"a\" has a factory already, at App/R.swift:3",
          "App/R.swift:5: the type has no tag (a class declares one: static let restorationType = \"…\")",
          "App/R.swift:7: type \"T\" has a factory already, at App/R.swift:6",
          "App/R.swift:8: \"a\" has a factory, at App/R.swift:3, and cannot have a tombstone",
          "App/R.swift:9: an alias is between paths, and \"x/*\" is a pattern",
          "App/R.swift:10: the alias \"c\" leads to itself, to a node below it or to one above it",
          "App/R.swift:14: \"m\" has an alias already, at App/R.swift:11",
          "App/R.swift:15: an upgrade leads from a version to a later one, and that of type \"T\" from 2 to 2",
          "App/R.swift:17: type \"T\" has an upgrade from 1 already, at App/R.swift:16",
          "App/R.swift:21: \"a*\" is not a path or pattern: pattern: expected * as a whole component, ** as the last one, or ~2 for a literal * (at offset 0x1) [R-3.1-4]",
          "App/R.swift:11: the aliases of \"m\" lead round in a circle",
          "App/R.swift:12: the aliases of \"n\" lead round in a circle",
          "App/R.swift:13: the aliases of \"o\" lead round in a circle",
          "App/R.swift:19: the aliases of type \"P\" lead round in a circle",
          "App/R.swift:20: the aliases of type \"Q\" lead round in a circle",
          "App/R.swift:16: no upgrade leads from version 2 of type \"T\" to 4",
        ])
    }
  }

  @Test(
    "patterns with *, ** and ~2 match the right nodes",
    arguments: [
      ("a/*", "a/b", true), ("a/*", "a", false), ("a/*", "a/b/c", false), ("a/**", "a", true), ("a/**", "a/b/c", true), ("**", "x", true),
      ("a/~2", "a/*", true), ("a/~2", "a/b", false), ("*/c", "b/c", true), ("a~1b", "a~1b", true),
    ])
  func matchesPatterns(_ text: String, _ path: String, _ isMatch: Bool) throws {
    #expect(try RestorationPattern(text).matches(RestorationPath(parsing: path)) == isMatch)
    let tree = ArchiveTree(nodes: try Self.nodes(RestorationPath(parsing: path)))
    var asked: [RestorationPath] = []
    _ = try RestorableTree().restore(
      from: ArchiveReader(tree.encoded()),
      with: Resolver {
        Factory(path: text) { node in
          asked.append(node.path)
          return SampleObject(node.identifier)
        }
      })
    #expect(try asked.contains(RestorationPath(parsing: path)) == isMatch || path.contains("/"))
  }

  /// Empty nodes along a path.
  private static func nodes(_ path: RestorationPath) -> [ArchiveNode] {
    var nodes: [ArchiveNode] = []
    for identifier in path.components.reversed() { nodes = [ArchiveNode(identifier, state: ["x": 1], children: nodes)] }
    return nodes
  }

  @Test("upgrades are chained, and a factory receives the upgraded state")
  func chainsUpgrades() throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode(
        "e", type: "OldEditor", schemaVersion: 0, state: ["offset": 3, "junk": 1, "size": 2, "font": "mono"],
        children: [ArchiveNode("options", state: ["font": "serif"])])
    ])
    var seen: ArchiveValue?
    let editor = Editor("e")
    var state: [String] = []
    editor.decoding = { coder in state = coder.allKeys.sorted() }
    let options = SampleObject("options"), added = SampleObject("added")
    options.decoding = { #expect($0.allKeys == ["font"]) }
    editor.children = [options, added]
    let report = try RestorableTree().restore(
      from: ArchiveReader(tree.encoded()),
      with: Resolver {
        Factory(type: "Editor") { node in
          seen = try node.decoder().value(forKey: "scrollOffset")
          return editor
        }
        Alias(type: "OldEditor", to: "Editor")
        Upgrade(type: "Editor", from: 0, to: 1) { state in
          state.rename("offset", to: "scrollOffset")
          state.remove("junk")
        }
        Upgrade(type: "Editor", from: 1, to: 2) { state in
          state.transform("scrollOffset") { value in
            if case .integer(let value) = value { .float(Double(value.description) ?? 0) } else { value }
          }
          state.transform("absent") { _ in 1 }
          state.set("fresh", to: true)
          state.move("font", toChild: "options")
          state.move("size", toChild: "added", as: "s")
        }
      })
    #expect(seen == .float(3))
    #expect(state == ["fresh", "scrollOffset"])
    #expect(added.values == ["s": 2])
    #expect(
      report.why("e")
        == "restored by type \"Editor\" after upgrade 0 -> 2, but not adopted: its object is in no object's restorationChildren; its parent takes it from restoredChildren() while it decodes, or keeps what its factory makes; its state is carried over"
    )
    #expect(report.nodes.map(\.path) == ["e", "e/options", "e/added"])
    #expect(report.node(at: "e/added")?.isAdded == true)
  }

  @Test("an upgrade that throws affects only its node")
  func containsUpgrades() throws {
    struct Refusal: Error {}
    let tree = ArchiveTree(nodes: [
      ArchiveNode("a", type: "Editor", schemaVersion: 1, state: ["x": 1]), ArchiveNode("b", type: "List", state: ["x": 2]),
    ])
    let a = Editor("a"), b = List("b")
    let report = try RestorableTree(roots: [a, b]).restore(
      from: ArchiveReader(tree.encoded()), with: Resolver { Upgrade(type: "Editor", from: 1, to: 2) { _ in throw Refusal() } })
    #expect(a.values == [:] && b.values == ["x": 2])
    #expect(
      report.why("a") == "failed: upgrading it from version 1 threw Refusal; its state is kept until the object at its path changes")
  }

  @Test(
    "an upgrade whose value or type has no place fails, and its node is saved as it was",
    arguments: [
      { $0.move("x", toChild: "broken") }, { $0.move("x", toChild: "") }, { $0.move("x", toChild: String(repeating: "i", count: 1025)) },
      { $0.move("x", toChild: "new", as: "") }, { $0.changeType(to: "", schemaVersion: 1) },
      { $0.changeType(to: String(repeating: "t", count: 1025), schemaVersion: 1) }, { $0.changeType(to: "List", schemaVersion: -1) },
    ] as [@Sendable (inout UpgradingState) -> Void])
  func keepsWhatHasNoPlace(change: @escaping @Sendable (inout UpgradingState) -> Void) throws {
    struct Refusal: Error {}
    let saved = ArchiveTree(nodes: [
      ArchiveNode("a", type: "Editor", schemaVersion: 1, state: ["x": 1], children: [ArchiveNode("broken", type: "List", state: ["y": 2])])
    ])
    let broken = List("broken"), editor = Editor("a", children: [broken])
    let application = RestorableTree(roots: [editor])
    let report = try application.restore(
      from: ArchiveReader(saved.encoded()),
      with: Resolver {
        Upgrade(type: "Editor", from: 1, to: 2, { change(&$0) })
        Upgrade(type: "List", from: 0, to: 1) { _ in throw Refusal() }
      })
    #expect(editor.values == [:] && broken.values == [:])
    #expect(report.node(at: "a")?.outcome == .failed && report.node(at: "a")?.isKept == true)
    let next = try application.saved()
    #expect(try next.state("a") == ["x": 1] && next.state("a/broken") == ["y": 2])
  }

  @Test(
    "R-3.5-9: what an upgrade moves to a new node is as the build has it, whatever the version of its class, also if the object comes launches later",
    arguments: 0...2)
  func movesToTypedNodes(launches: Int) throws {
    final class Field: Restorable {
      static let restorationType = "Field", restorationSchemaVersion = 3
      let restorationIdentifier: String? = "field"
      @Restored var text = ""
    }
    let resolver = try Resolver { Upgrade(type: "Editor", from: 1, to: 2) { $0.move("search", toChild: "field", as: "text") } }
    var archive = try ArchiveReader(
      ArchiveTree(nodes: [ArchiveNode("a", type: "Editor", schemaVersion: 1, state: ["search": "swift"])]).encoded())
    for _ in 0..<launches {
      let application = RestorableTree(roots: [Editor("a")])
      _ = try application.restore(from: archive, with: resolver)
      archive = try application.saved()
      #expect(try archive.node(at: "a/field")?.attributes()["restoration.moved"] == true)
    }
    let field = Field()
    let application = RestorableTree(roots: [Editor("a", children: [field])])
    let report = try application.restore(from: archive, with: resolver)
    #expect(field.text == "swift" && report.node(at: "a/field")?.outcome == .located && report.node(at: "a/field")?.isKept == false)
    let node = try #require(try application.saved().node(at: "a/field"))
    #expect(try node.schemaVersion == 3 && node.attributes().isEmpty)
  }

  @Test("R-3.5-9: what an upgrade moves to a new node of a named type is made by the factory of that type", arguments: [false, true])
  func movesToNamedType(_ isPlaceholder: Bool) throws {
    final class Field: Restorable {
      static let restorationType = "Field", restorationSchemaVersion = 3
      let restorationIdentifier: String?
      @Restored var text = ""
      init(_ identifier: String) { restorationIdentifier = identifier }
    }
    let below = isPlaceholder ? [ArchiveNode("field", attributes: ["restoration.placeholder": true])] : []
    let archive = ArchiveTree(nodes: [ArchiveNode("a", type: "Editor", schemaVersion: 1, state: ["search": "swift"], children: below)])
    let move = Upgrade(type: "Editor", from: 1, to: 2) { $0.move("search", toChild: "field", as: "text", ofType: Field.self) }
    // The first launch has no factory: the state waits as it was saved.
    let first = RestorableTree(roots: [Editor("a")])
    _ = try first.restore(from: ArchiveReader(archive.encoded()), with: Resolver { move })
    let node = try #require(try first.saved().node(at: "a/field"))
    #expect(try node.type == "Field" && node.schemaVersion == 3 && node.attributes()["restoration.moved"] == nil)
    for archive in try [ArchiveReader(archive.encoded()), first.saved()] {
      var made: [Field] = []
      let resolver = try Resolver {
        move
        Factory(Field.self) { node in
          made.append(Field(node.identifier))
          return made.last
        }
      }
      _ = try RestorableTree(roots: [Editor("a")]).restore(from: archive, with: resolver)
      #expect(made.map(\.text) == ["swift"])
    }
  }

  @Test("an upgrade from version 0 that changes the type of a node without one: an object of another class does not take its state in")
  func changesTypeFromVersion0() throws {
    let saved = ArchiveTree(nodes: [ArchiveNode("a", state: ["text": 1])])
    let editor = Editor("a", values: ["own": 2])
    let application = RestorableTree(roots: [editor])
    let report = try application.restore(
      from: ArchiveReader(saved.encoded()),
      with: Resolver { Upgrade(type: "Editor", from: 0, to: 1) { $0.changeType(to: "Draft", schemaVersion: 1) } })
    #expect(editor.values == ["own": 2])
    #expect(report.node(at: "a")?.outcome == .notDecoded(.otherType), "\(report)")
    let carried = try #require(try application.saved().node(at: "a"))
    #expect(try carried.type == nil && carried.state() == ["text": 1], "it is kept as it was saved")
  }

  @Test("an alias to a node is applied before those to nodes below it, in whatever order they are registered", arguments: [false, true])
  func appliesOuterAliasesFirst(_ isReversed: Bool) throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode("toolbar", state: ["x": 1]), ArchiveNode("panel", state: ["x": 2], children: [ArchiveNode("list", state: ["x": 3])]),
    ])
    let report = try RestorableTree().restore(
      from: ArchiveReader(tree.encoded()),
      with: Resolver {
        if isReversed { Alias("panel", to: "window") }
        Alias("toolbar", to: "window/toolbar")
        if !isReversed { Alias("panel", to: "window") }
        Factory(path: "**") { SampleObject($0.identifier) }
      })
    #expect(Set(report.nodes.map(\.path.description)) == ["window", "window/toolbar", "window/list"])
    #expect(report.nodes.allSatisfy { $0.outcome == .notAdopted })
  }

  @Test(
    "an alias of a node below another alias's node applies, in whatever order they are registered, also to a place below its new one",
    arguments: [["panel", "panel/list"], ["panel/list", "panel"]], ["away", "window/rows"])
  func appliesAliasesToParts(_ order: [String], _ target: String) throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode(
        "panel", state: ["x": 1],
        children: [ArchiveNode("list", state: ["x": 2], children: [ArchiveNode("row")]), ArchiveNode("other", state: ["x": 3])])
    ])
    let report = try RestorableTree().restore(
      from: ArchiveReader(tree.encoded()),
      with: Resolver {
        for source in order { Alias(source, to: source == "panel" ? "window" : target) }
        Factory(path: "**") { SampleObject($0.identifier) }
      })
    #expect(
      Set(report.nodes.map { "\($0.archivedPath?.description ?? "-") \($0.path)" }) == [
        "panel window", "panel/list \(target)", "panel/list/row \(target)/row", "panel/other window/other",
      ])
    #expect(report.nodes.allSatisfy { $0.outcome == .notAdopted })
  }

  @Test("an alias to or from a node without state of its own brings together what is below both")
  func mergesPlaceholders() throws {
    func placeholder(_ identifier: String, _ children: ArchiveNode...) -> ArchiveNode {
      ArchiveNode(identifier, attributes: ["restoration.placeholder": true], children: children)
    }
    func waiting(_ identifier: String, _ value: ArchiveInteger) -> ArchiveNode { ArchiveNode(identifier, state: ["x": .integer(value)]) }
    let panel = ArchiveNode(
      "panel", state: ["x": 1], children: [waiting("a", 2), placeholder("b", waiting("c", 3)), placeholder("d", waiting("e", 4))])
    let window = placeholder("window", waiting("z", 5), placeholder("b", waiting("y", 6)), waiting("d", 7), waiting("a", 8))
    for nodes in [[panel, window], [window, panel]] {
      for (from, to) in [("panel", "window"), ("window", "panel")] {
        let tree = RestorableTree()
        let report = try tree.restore(
          from: ArchiveReader(ArchiveTree(nodes: nodes).encoded()),
          with: Resolver {
            Alias(from, to: to)
            Factory(path: "**") { SampleObject($0.identifier) }
          })
        let saved = try tree.saved()
        #expect(
          try saved.paths().sorted() == ["\(to)"] + ["a", "b", "b/c", "b/y", "d", "d/e", "z"].map { "\(to)/\($0)" }, "\(report)")
        #expect(
          try saved.state(RestorationPath(components: [to])) == ["x": 1] && saved.state(RestorationPath(components: [to, "d"])) == ["x": 7])
        // Both were saved together.
        #expect(report.nodes.filter { $0.outcome == .skipped(.superseded) }.map(\.path.description) == ["\(to)/a"], "\(report)")
      }
    }
  }

  @Test("24: state is carried over as it was saved, and not as upgraded, until an object has taken a part of it (R-3.5-1)")
  func carriesStateAsItWasSaved() throws {
    let archive = ArchiveTree(
      header: .sample, nodes: [ArchiveNode("draft", type: "Editor", schemaVersion: 1, state: ["text": 1, "to": 2])])
    let resolver = try Resolver {
      Upgrade(type: "Editor", from: 1, to: 2) {
        $0.rename("text", to: "body")
        $0.move("to", toChild: "envelope")
      }
    }
    let tree = RestorableTree()
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: resolver)
    let carried = try tree.saved()
    #expect(try carried.paths() == ["draft"] && carried.state("draft") == ["text": 1, "to": 2])
    #expect(try carried.node(at: "draft")?.schemaVersion == 1)
    // An object takes what was moved: the value must not come from both.
    let envelope = SampleObject("envelope")
    tree.register(envelope, at: "draft/envelope")
    let parted = try tree.saved()
    #expect(envelope.values == ["to": 2])
    #expect(try parted.state("draft") == ["body": 1] && parted.state("draft/envelope") == ["to": 2])
  }

  @Test("24: what an upgrade has moved away from a node is carried over by itself from the save on that replaces the node (R-3.5-1)")
  func carriesWhatWasMovedAway() throws {
    let draft = ArchiveNode("draft", type: "Editor", schemaVersion: 1, state: ["text": 1, "to": 2])
    let earlier = ArchiveOrigin(bundleVersion: "1")
    let kept = ArchiveNode("draft", type: "Editor", schemaVersion: 1, origin: earlier, state: ["text": 1, "to": 2])
    let other = ArchiveNode("other", state: ["x": 7])
    func upgrades() throws -> Resolver {
      try Resolver {
        Upgrade(type: "Editor", from: 1, to: 2) { $0.move("to", toChild: "envelope") }
        Alias("other", to: "draft")
      }
    }
    func restored(_ nodes: [ArchiveNode], _ roots: [any Restorable] = []) throws -> RestorableTree {
      let tree = RestorableTree(roots: roots)
      _ = try tree.restore(from: ArchiveReader(ArchiveTree(header: .sample, nodes: nodes).encoded()), with: upgrades())
      return tree
    }
    // The user changes an object that did not take the state in.
    let failing = Editor("draft")
    failing.decoding = { _ in throw RestorationError(.encodingFailed, "") }
    let changed = try restored([draft], [failing])
    #expect(try changed.saved().paths() == ["draft"])
    failing.values = ["x": 7]
    // An object comes to the path of state that waits.
    let late = try restored([draft])
    late.roots = [SampleObject("draft", values: ["x": 7])]
    // Another node has the path, and its object; or it waits too.
    let trees = try [changed, late, restored([kept, other], [SampleObject("draft")]), restored([kept, other])]
    for (number, tree) in trees.enumerated() {
      for _ in 0..<2 {
        let saved = try tree.saved()
        #expect(try saved.paths() == ["draft", "draft/envelope"], "\(number)")
        #expect(try saved.state("draft") == ["x": 7] && saved.state("draft/envelope") == ["to": 2], "\(number)")
      }
    }
  }

  @Test("84: an upgrade that fails leaves no node at a path that another one has", arguments: [false, true])
  func failingUpgradeTakesNoPath(_ isMade: Bool) throws {
    let resolver = try Resolver {
      Upgrade(type: "Editor", from: 1, to: 2) { $0.move("to", toChild: "envelope") }
      Alias("other", to: "draft")
      if isMade { Factory(type: "Editor") { _ in Editor("draft") } }
    }
    let nodes = [
      ArchiveNode("other", type: "Editor", schemaVersion: 1, state: ["to": 2]),
      ArchiveNode(
        "draft", origin: ArchiveOrigin(bundleVersion: "1"),
        children: [ArchiveNode("envelope", state: ["k": 86], children: [ArchiveNode("stamp", state: ["s": 1])])]),
    ]
    let tree = RestorableTree(roots: [])
    _ = try tree.restore(
      from: ArchiveReader(ArchiveTree(header: .sample, nodes: nodes).encoded()), with: resolver,
      options: RestorationOptions(quarantined: ["draft/envelope"]))
    let saved = try tree.saved()
    #expect(try saved.state("draft") == ["to": 2] && saved.state("draft/envelope") == ["k": 86])
  }

  @Test("84: what upgrades move away from two nodes for one path comes from the one that a live object has saved last")
  func carriesWhatTwoNodesGive() throws {
    let resolver = try Resolver {
      Upgrade(type: "Editor", from: 1, to: 2) { $0.move("to", toChild: "envelope") }
      Alias("other", to: "draft")
    }
    let tree = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode("draft", type: "Editor", schemaVersion: 1, origin: ArchiveOrigin(bundleVersion: "1"), state: ["to": 2]),
        ArchiveNode("other", type: "Editor", schemaVersion: 1, state: ["to": 3]),
      ])
    let first = RestorableTree()
    _ = try first.restore(from: ArchiveReader(tree.encoded()), with: resolver)
    let preservation = try first.preserve(header: .sample)
    let saved = try ArchiveReader(#require(try preservation.archive))
    #expect(try saved.paths() == ["draft"] && saved.state("draft") == ["to": 3])
    #expect(preservation.report.notes(at: "draft/envelope").map(\.kind) == [.superseded])
    let envelope = SampleObject("envelope")
    _ = try RestorableTree(roots: [SampleObject("draft", children: [envelope])]).restore(from: saved, with: resolver)
    #expect(envelope.values == ["to": 3])
  }

  @Test("24: what waits below an object that is set aside comes back upgraded in the same launch")
  func setsAsideUpgradedState() throws {
    let page = ArchiveNode("page", type: "Editor", schemaVersion: 1, state: ["text": 1])
    let archive = ArchiveTree(header: .sample, nodes: [ArchiveNode("stack", state: ["x": 1], children: [page])])
    let stack = SampleObject("stack")
    let tree = RestorableTree(roots: [stack])
    _ = try tree.restore(
      from: ArchiveReader(archive.encoded()), with: Resolver { Upgrade(type: "Editor", from: 1, to: 2) { $0.rename("text", to: "body") } })
    #expect(try tree.setAside(stack))
    tree.roots = []
    _ = try tree.saved()
    let (again, late) = (SampleObject("stack"), Editor("page"))
    again.children = [late]
    tree.roots = [again]
    #expect(tree.restoreState(of: again) == .data)
    #expect(late.values == ["body": 1], "\(tree.report?.description ?? "")")
  }

  @Test("24: a save while an archive is restored has every moved value")
  func savesMovedValuesWhileRestoring() throws {
    let archive = ArchiveTree(
      header: .sample,
      nodes: [ArchiveNode("first", state: ["x": 1]), ArchiveNode("draft", type: "Editor", schemaVersion: 1, state: ["text": 1, "to": 2])])
    let (first, draft) = (SampleObject("first"), Editor("draft"))
    let tree = RestorableTree(roots: [first, draft])
    var saved: ArchiveReader?
    first.decoding = { [unowned tree] _ in saved = try tree.saved() }
    let resolver = try Resolver { Upgrade(type: "Editor", from: 1, to: 2) { $0.move("to", toChild: "envelope") } }
    _ = try tree.restore(from: ArchiveReader(archive.encoded()), with: resolver)
    #expect(try saved?.state("draft") == ["text": 1] && saved?.state("draft/envelope") == ["to": 2])
  }

  @Test("84: of a moved value and one that the child has, the one that a live object saved last wins, as with an alias")
  func movesWhatWasSavedLast() throws {
    let carried = ArchiveOrigin(bundleVersion: "2", timestamp: Date(timeIntervalSinceReferenceDate: 0))
    let archive = ArchiveTree(
      header: .sample,
      nodes: [
        ArchiveNode(
          "draft", type: "Editor", schemaVersion: 1, state: ["to": "bob"],
          children: [ArchiveNode("envelope", origin: carried, state: ["to": "ada", "color": "red"])])
      ])
    let envelope = SampleObject("envelope")
    var found: [String: String] = [:]
    envelope.decoding = { coder in for key in coder.allKeys { found[key] = try coder.decode(String.self, forKey: key) } }
    let draft = Editor("draft", children: [envelope])
    let report = try RestorableTree(roots: [draft]).restore(
      from: ArchiveReader(archive.encoded()),
      with: Resolver { Upgrade(type: "Editor", from: 1, to: 2) { $0.move("to", toChild: "envelope") } })
    #expect(found == ["to": "bob", "color": "red"])
    #expect(report.notes.contains { $0.kind == .lost && $0.path == "draft/envelope" && $0.message.contains("saved later") })
  }

  @Test("84: a moved value that an older build has saved wins over the one that it had only kept for this build")
  func movesWhatWasNotOnlyKept() throws {
    let kept: ArchiveDictionary = ["restoration.keptSchema": 2, "restoration.keptKeys": ["replace"]]
    let find = ArchiveNode("find", attributes: kept, state: ["replace": "two", "text": "a"])
    let window = ArchiveNode("window", type: "Editor", schemaVersion: 1, state: ["lastReplace": "three"], children: [find])
    let panel = SampleObject("find")
    var found: [String: String] = [:]
    panel.decoding = { coder in for key in coder.allKeys { found[key] = try coder.decode(String.self, forKey: key) } }
    let report = try RestorableTree(roots: [Editor("window", children: [panel])]).restore(
      from: ArchiveReader(ArchiveTree(header: .sample, nodes: [window]).encoded()),
      with: Resolver { Upgrade(type: "Editor", from: 1, to: 2) { $0.move("lastReplace", toChild: "find", as: "replace") } })
    #expect(found == ["replace": "three", "text": "a"], "\(report)")
    #expect(report.notes.contains { $0.kind == .lost && $0.path == "window/find" })
  }

  @Test("a value that an upgrade moves to a child that has another one under its key is reported as lost, so that the file is kept")
  func reportsMovesInVain() throws {
    func restore(_ text: ArchiveValue) throws -> RestorationReport {
      let field = ArchiveNode("field", state: ["text": text])
      let saved = ArchiveTree(nodes: [ArchiveNode("root", type: "Editor", schemaVersion: 1, state: ["search": 7], children: [field])])
      return try RestorableTree(roots: [Editor("root", children: [SampleObject("field")])]).restore(
        from: ArchiveReader(saved.encoded()),
        with: Resolver { Upgrade(type: "Editor", from: 1, to: 2) { $0.move("search", toChild: "field", as: "text") } })
    }
    let report = try restore(8)
    #expect(report.isDegraded && report.summary == "restored 2 of 2")
    #expect(
      report.notes.map(\.description)
        == ["root/field: a value that an upgrade moves here is dropped: there is one under \"text\" already"])
    #expect(try restore(7).notes.isEmpty)
  }

  @Test("an upgrade of a type that an alias renames can never run, which is a registration mistake")
  func upgradeOfRenamedType() {
    #expect(throws: ResolverError.self) {
      _ = try Resolver {
        Alias(type: "Old", to: "Editor")
        Upgrade(type: "Old", from: 1, to: 2) { $0.rename("a", to: "b") }
      }
    }
  }

  @Test("a value that an upgrade moves to a placeholder makes a node of it, which is restored and carried over")
  func movesToPlaceholders() throws {
    let deep = ArchiveNode("deep", state: ["y": 3])
    let field = ArchiveNode("field", attributes: ["restoration.placeholder": true], children: [deep])
    let saved = ArchiveTree(nodes: [ArchiveNode("root", type: "Editor", schemaVersion: 1, state: ["search": 7], children: [field])])
    let application = RestorableTree(roots: [Editor("root")])
    let report = try application.restore(
      from: ArchiveReader(saved.encoded()),
      with: Resolver { Upgrade(type: "Editor", from: 1, to: 2) { $0.move("search", toChild: "field", as: "text") } })
    #expect(report.node(at: "root/field")?.outcome == .skipped(.noFactory))
    #expect(try application.saved().state("root/field") == ["text": 7])
  }

  @Test("aliases are applied in sequence, to everything below and to references")
  func chainsAliases() throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode(
        "a", state: ["x": 1],
        children: [ArchiveNode("b", state: ["to": .reference("a/b/c")], children: [ArchiveNode("c", state: ["x": 3])])])
    ])
    let target = SampleObject("n", values: [:])
    let holder = SampleObject("y", children: [target])
    var found: SampleObject?
    holder.decoding = { found = try $0.decodeReference(forKey: "to") }
    let deep = SampleObject("far", children: [SampleObject("place", children: [holder])])
    let application = RestorableTree(roots: [SampleObject("x"), deep])
    let report = try application.restore(
      from: ArchiveReader(tree.encoded()),
      with: Resolver {
        Alias("x/z", to: "far/place/y")
        Alias("x/b", to: "x/z")
        Alias("far/place/y/c", to: "far/place/y/n")
        Alias("a", to: "x")
      })
    #expect(found === target && target.values == ["x": 3])
    #expect(
      report.nodes.map { "\($0.archivedPath?.description ?? "-") \($0.path) \($0.outcome.name)" } == [
        "a x located", "a/b far/place/y located", "a/b/c far/place/y/n located",
      ])
    #expect(report.summary == "restored 3 of 3")
  }

  @Test("missing lists the nodes that no registration covers")
  func findsMissing() throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode("a", type: "Editor", children: [ArchiveNode("b", state: ["x": 1]), ArchiveNode("c", type: "List")]), ArchiveNode("d"),
      ArchiveNode("gone", children: [ArchiveNode("too")]),
    ])
    let resolver = try Resolver {
      Factory(type: "Editor") { _ in nil }
      Factory(path: "a/b") { _ in nil }
      Tombstone("gone")
    }
    let nodes = ArchiveResolution(of: try ArchiveReader(tree.encoded()), with: resolver).nodes
    let missing = nodes.filter { $0.outcome == .skipped(.noFactory) }
    #expect(missing.map(\.path) == ["a/c", "d"])
    #expect(missing.map(\.line) == ["Factory(type: \"List\") { node in … }", "Factory(path: \"d\") { node in … }"])
  }

  @Test("textual registrations report which nodes would be restored, and by which rule")
  func resolvesText() throws {
    let tree = ArchiveTree(nodes: [
      ArchiveNode(
        "root", type: "Window",
        children: [ArchiveNode("left", type: "List"), ArchiveNode("welcome", children: [ArchiveNode("page")]), ArchiveNode("old")])
    ])
    let resolver = try Resolver(registrations: ["root", "type:List", "!root/welcome", "root/old=>root/new", "root/new"])
    let resolution = ArchiveResolution(of: try ArchiveReader(tree.encoded()), with: resolver)
    #expect(
      resolution.nodes.map(\.prediction) == [
        "root: restored by path \"root\"", "root/left: restored by type \"List\"",
        "root/welcome: skipped: it, or a node above it, has a tombstone",
        "root/welcome/page: skipped: it, or a node above it, has a tombstone", "root/new: restored by path \"root/new\", saved as root/old",
      ])
    #expect(resolution.summary == "5 nodes: 3 would be restored, 2 not")
    #expect(throws: ResolverError.self) { try Resolver(registrations: ["a//b", "type:"]) }
  }

  @Test(
    "a state that cannot be upgraded is predicted to fail, as it does, whatever rule makes its object",
    arguments: ["p", "Panel", nil] as [String?])
  func predictsFailedUpgrades(_ registered: String?) throws {
    struct Refusal: Error {}
    final class Panel: Restorable {
      static let restorationType = "Panel"
      static let restorationSchemaVersion = 2
      let restorationIdentifier: String? = "p"
    }
    let node = ArchiveNode(
      "p", type: "Panel", schemaVersion: 1, provider: ProviderReference(name: "Main", identifier: "Panel"), state: ["x": 1])
    let archive = try ArchiveReader(ArchiveTree(nodes: [node]).encoded())
    let resolver = try Resolver {
      if registered == "p" { Factory(path: "p") { _ in Panel() } }
      if registered == "Panel" { Factory(type: "Panel") { _ in Panel() } }
      Factory(provider: "Main") { _ in Panel() }
      Upgrade(type: "Panel", from: 1, to: 2) { _ in throw Refusal() }
    }
    let predicted = try #require(ArchiveResolution(of: archive, with: resolver).nodes.first)
    let report = try RestorableTree().restore(from: archive, with: resolver)
    let restored = try #require(report.nodes.first)
    #expect(predicted.outcome == .failed)
    #expect(restored.outcome == predicted.outcome)
    #expect(restored.rule == predicted.rule)
  }
}
