import CorpusKit
import Foundation
import PropertyKit
import RestorationArchive
import RestorationInspection
import TestStage
import Testing

/// The difference of two archives is empty exactly if their contents are equal, and names what happened.
@Suite struct ArchiveDifferenceTests {
  @Test("a file that ends early is compared as far as it can be read, on either side")
  func comparesCutFiles() throws {
    let bytes = try Corpus.bytes(of: "valid/apps/notes.rsta")
    let whole = try ArchiveReader(inspecting: bytes)
    for length in stride(from: 64, to: bytes.count, by: 13) {
      guard let cut = try? ArchiveReader(inspecting: Array(bytes.prefix(length))) else { continue }
      let (there, back) = (ArchiveDifference(from: whole, to: cut), ArchiveDifference(from: cut, to: whole))
      #expect(there.isEmpty == back.isEmpty && there.counts.unreadable == back.counts.unreadable, "\(length)")
      #expect(ArchiveDifference(from: cut, to: cut).counts.removed == 0, "\(length)")
    }
  }

  static func difference(
    _ old: ArchiveTree, _ new: ArchiveTree, _ options: ArchiveDifference.Options = .init()
  ) throws -> ArchiveDifference {
    ArchiveDifference(
      from: try ArchiveReader(inspecting: [UInt8](old.encoded())), to: try ArchiveReader(inspecting: [UInt8](new.encoded())),
      options: options)
  }

  private static func changes(_ difference: ArchiveDifference) -> [NodeDifference] {
    var changes: [NodeDifference] = []
    difference.visitChanges { change in
      if case .node(let change) = change { changes.append(change) }
    }
    return changes
  }

  private static func text(_ difference: ArchiveDifference, _ style: TextStyle = .plain) -> String {
    var text = ""
    difference.write(to: &text, style: style)
    return text
  }

  /// Checks that a difference agrees with equality, and that its parts agree with each other.
  private static func check(_ old: ArchiveTree, _ new: ArchiveTree, _ comment: Comment) throws {
    let difference = try difference(old, new)
    let isSame = old == new
    #expect(difference.isEmpty == isSame, comment)
    #expect(try self.difference(new, old).isEmpty == isSame, comment)
    var visited = 0
    difference.visitChanges { _ in visited += 1 }
    let counts = difference.counts
    // How often nodes were carried over is counted alone.
    #expect((visited == 0) == (counts.total == counts.carriedOver), comment)
    let kinds = Self.changes(difference)
    #expect(kinds.filter { $0.kind == .moved }.count == counts.moved, comment)
    #expect(kinds.filter { $0.kind == .renamed }.count == counts.renamed, comment)
    #expect(kinds.filter { $0.kind == .added }.reduce(0) { $0 + $1.nodeCount } == counts.added, comment)
    #expect(kinds.filter { $0.kind == .removed }.reduce(0) { $0 + $1.nodeCount } == counts.removed, comment)
    #expect(kinds.allSatisfy { $0.kind != .changed || !$0.changes.isEmpty || !$0.order.isEmpty }, comment)
    #expect(old.nodeCount - counts.removed == new.nodeCount - counts.added, comment)
  }

  // MARK: The property

  @Test("a difference is empty exactly if the contents are equal", arguments: TestStage.seeds(40, exhaustive: 1000))
  func isEmptyExactlyIfEqual(_ seed: UInt64) throws {
    var generator = TreeGenerator(seed: seed)
    let tree = generator.tree()
    try Self.check(tree, tree, "seed \(seed), the same")
    try Self.check(tree, TreeEdit.tree(tree, seed: seed), "seed \(seed), edited")
    if seed % 4 == 0 { try Self.check(tree, generator.tree(), "seed \(seed), another") }
  }

  @Test("every pair of apps of the corpus", arguments: TestStage.every(4, of: try Corpus.files(in: "valid/apps")))
  func pairsOfApps(_ file: CorpusFile) throws {
    let tree = try ArchiveTree(decoding: ArchiveReader(file.bytes))
    for other in TestStage.every(3, of: try Corpus.files(in: "valid/apps")) {
      try Self.check(tree, ArchiveTree(decoding: ArchiveReader(other.bytes)), "\(file) and \(other)")
    }
    try Self.check(tree, tree, "\(file)")
  }

  @Test("the order in which an archive was written does not matter, and every bit of content does")
  func vectorsDiffer() throws {
    let trees = try Corpus.files(in: "valid/vectors").compactMap { try? ArchiveTree(decoding: ArchiveReader($0.bytes)) }
    for (place, tree) in trees.enumerated() {
      let other = trees[(place + 1) % trees.count]
      #expect(try Self.difference(tree, other).isEmpty == (tree == other))
    }
  }

  // MARK: Recognition

  private static func note(_ identifier: String, _ title: String, _ children: [ArchiveNode] = []) -> ArchiveNode {
    ArchiveNode(
      identifier, type: "Note", schemaVersion: 2, state: ["title": .string(title), "row": 7, "pinned": true], children: children)
  }

  private static func folders(_ left: [ArchiveNode], _ right: [ArchiveNode]) -> ArchiveTree {
    ArchiveTree(nodes: [ArchiveNode("left", type: "Folder", children: left), ArchiveNode("right", type: "Folder", children: right)])
  }

  @Test func recognizesMovesAsTheyWere() throws {
    let note = Self.note("n", "Ferry", [ArchiveNode("cursor", state: ["column": 3])])
    let difference = try Self.difference(Self.folders([note], []), Self.folders([], [note]))
    let changes = Self.changes(difference)
    #expect(changes.map(\.kind) == [.moved])
    #expect(changes.first?.oldPath == "left/n")
    #expect(changes.first?.path == "right/n")
    #expect(changes.first?.changes.isEmpty == true)
  }

  @Test("a note whose texts have a hundred thousand combining marks is recognized where it was moved to")
  func recognizesMarks() throws {
    func marks(_ count: Int) -> String { "a" + String(repeating: "\u{315}", count: count) + String(repeating: "\u{300}", count: count) }
    let state: ArchiveDictionary = [marks(10_000): 1, "text": .string(marks(100_000)), "place": .url(marks(100_000))]
    let note = ArchiveNode("note", type: marks(250), state: state)
    // Normalization would take minutes.
    let difference = try Self.difference(Self.folders([note], []), Self.folders([], [note]))
    #expect(Self.changes(difference).map(\.kind) == [.moved])
  }

  @Test func recognizesMovesWithChanges() throws {
    let difference = try Self.difference(Self.folders([Self.note("n", "Ferry")], []), Self.folders([], [Self.note("n", "Train")]))
    let changes = Self.changes(difference)
    #expect(changes.map(\.kind) == [.moved])
    #expect(changes.first?.changes.map(\.placeText) == ["title"])
  }

  @Test func recognizesRenames() throws {
    let difference = try Self.difference(Self.folders([Self.note("a", "x")], []), Self.folders([Self.note("b", "y")], []))
    #expect(Self.changes(difference).map(\.kind) == [.renamed])
    let other = try Self.difference(
      Self.folders([Self.note("a", "x")], []), Self.folders([ArchiveNode("b", type: "Note", state: ["zoom": 2.0])], []))
    #expect(Set(Self.changes(other).map(\.kind)) == [.added, .removed])
  }

  @Test("a node that was only carried over by more saves is counted apart, and is no change")
  func countsCarriedNodes() throws {
    var old = ArchiveNode("kept", type: "Row", state: ["n": 1])
    old.origin = ArchiveOrigin(bundleVersion: "41", sessionsCarried: 3)
    var new = old
    new.origin = ArchiveOrigin(bundleVersion: "41", sessionsCarried: 4)
    let carried = try Self.difference(Self.folders([old], []), Self.folders([new], []))
    #expect(carried.counts.carriedOver == 1 && carried.counts.changed == 0 && carried.counts.total == 1 && !carried.isEmpty)
    #expect(Self.changes(carried).isEmpty && carried.counts.text == "1 node carried over again")
    new.state["n"] = 2
    let changed = try Self.difference(Self.folders([old], []), Self.folders([new], []))
    #expect(changed.counts.changed == 1 && Self.changes(changed).count == 1)
    #expect(Self.changes(changed)[0].changes.map(\.part) == [.state], "the number of saves is not listed")
    new.origin = ArchiveOrigin(bundleVersion: "42", sessionsCarried: 1)
    #expect(try Self.difference(Self.folders([old], []), Self.folders([new], [])).counts.carriedOver == 0)
  }

  @Test("a node of another type, of another origin, or without contents is another node")
  func doesNotGuess() throws {
    let left = ArchiveNode("a", type: "Note", state: ["row": 1])
    for other in [ArchiveNode("b", type: "Page", state: ["row": 1]), ArchiveNode("b")] {
      let difference = try Self.difference(Self.folders([left], []), Self.folders([other], []))
      #expect(Set(Self.changes(difference).map(\.kind)) == [.added, .removed])
    }
    let empty = try Self.difference(Self.folders([ArchiveNode("a")], []), Self.folders([ArchiveNode("b")], []))
    #expect(Set(Self.changes(empty).map(\.kind)) == [.added, .removed])
    var (old, new) = (left, left)
    new.identifier = "b"
    old.origin = ArchiveOrigin(bundleVersion: "41")
    new.origin = ArchiveOrigin(bundleVersion: "42")
    let origins = try Self.difference(Self.folders([old], []), Self.folders([new], []))
    #expect(Set(Self.changes(origins).map(\.kind)) == [.added, .removed])
  }

  @Test("a folder without state that is renamed keeps its notes")
  func parentsFollow() throws {
    let notes = [Self.note("n", "Ferry"), Self.note("m", "Train")]
    let old = ArchiveTree(nodes: [ArchiveNode("left", type: "Folder", children: notes)])
    var new = old
    new.nodes[0].identifier = "archive"
    new.nodes[0].children[1].state["title"] = "Bus"
    let changes = Self.changes(try Self.difference(old, new))
    #expect(changes.map(\.kind) == [.renamed, .changed])
    #expect(changes.last?.path == "archive/m")
  }

  @Test func namesTheFewestChildrenInAnotherOrder() throws {
    let children = ["a", "b", "c", "d", "e"].map { ArchiveNode($0) }
    let moved = [children[4]] + children[0..<4]
    let changes = Self.changes(try Self.difference(ArchiveTree(nodes: children), ArchiveTree(nodes: moved)))
    #expect(changes.flatMap(\.order).map { "\($0.identifier) \($0.oldPlace) \($0.newPlace)" } == ["e 5 1"])
  }

  @Test func findsBrokenReferences() throws {
    let link = ArchiveNode("link", state: ["to": .array([.reference("b"), .reference("never")])])
    let difference = try Self.difference(
      ArchiveTree(nodes: [link, ArchiveNode("b", state: ["row": 1])]), ArchiveTree(nodes: [link]))
    #expect(difference.counts.brokenReferences == 1)
    #expect(Self.text(difference).contains("! link to: broken reference to b\n"))
  }

  // MARK: Values

  @Test("values are compared deep", arguments: [false, true])
  func comparesDeep(_ isReversed: Bool) throws {
    let old: ArchiveDictionary = [
      "filter": ["flags": [1, 2, 3, 4], "text": "unread"], "gone": .null, "same": 1.5, "kind": 1, "a.b": true,
    ]
    let new: ArchiveDictionary = [
      "filter": ["flags": [1, 9, 3, 4, 5], "text": "read"], "kind": 1.0, "same": 1.5, "a.b": false, "more": 2,
    ]
    let (left, right) = isReversed ? (new, old) : (old, new)
    let changes = Self.changes(try Self.difference(ArchiveTree(applicationState: left), ArchiveTree(applicationState: right)))
    let kinds: [ValueChange.Kind] =
      isReversed
      ? [.changed, .changed, .removed, .changed, .added, .changed, .removed]
      : [.changed, .changed, .added, .changed, .removed, .changed, .added]
    #expect(changes.flatMap(\.changes).map(\.kind) == kinds)
    #expect(
      changes.flatMap(\.changes).map(\.placeText) == [
        "\"a.b\"", "filter.flags[1]", "filter.flags[4]", "filter.text", "gone", "kind", "more",
      ])
  }

  @Test func showsWhatDiffersInLongTexts() throws {
    let lines = (1...40).map { "line \($0)" }
    var changed = lines
    changed[20] = "line twenty-one"
    changed.remove(at: 5)
    let difference = try Self.difference(
      ArchiveTree(applicationState: ["text": .string(lines.joined(separator: "\n"))]),
      ArchiveTree(applicationState: ["text": .string(changed.joined(separator: "\n"))]))
    let text = Self.text(difference)
    #expect(text.contains("- \"line 6\"\n"))
    #expect(text.contains("+ \"line twenty-one\"\n"))
    #expect(!text.contains("line 30"))
  }

  @Test func sensitiveValuesAreOnlyChanged() throws {
    func tree(_ secret: ArchiveValue, isSensitive: Bool = true) -> ArchiveTree {
      ArchiveTree(applicationState: ArchiveDictionary([.init(key: "token", value: secret, isSensitive: isSensitive)]))
    }
    let difference = try Self.difference(tree("correct horse"), tree("battery staple"))
    var json = ""
    difference.writeJSON(oldName: "a", newName: "b", to: &json)
    for output in [Self.text(difference), json] {
      #expect(!output.contains("horse") && !output.contains("staple"))
      #expect(output.contains("changed"))
    }
    var options = ArchiveDifference.Options()
    options.sensitive = .reveal
    #expect(Self.text(try Self.difference(tree("correct horse"), tree("battery staple"), options)).contains("battery staple"))
    let marked = try Self.difference(tree("correct horse", isSensitive: false), tree("correct horse"))
    #expect(Self.text(marked).contains("token: now marked as sensitive"))
    #expect(!Self.text(marked).contains("horse"))
    let nested = try Self.difference(ArchiveTree(), ArchiveTree(applicationState: ["all": .dictionary(tree("horse").applicationState)]))
    #expect(!Self.text(nested).contains("horse"))
  }

  // MARK: Options

  @Test func ignoresTheVolatileHeader() throws {
    let tree = ArchiveTree(header: ArchiveHeader(bundleVersion: "1", systemVersion: "26.1"))
    var other = tree
    other.header.timestamp = Date(timeIntervalSinceReferenceDate: 0)
    other.header.systemVersion = nil
    var options = ArchiveDifference.Options()
    options.ignoresVolatileHeader = true
    #expect(try !Self.difference(tree, other).isEmpty)
    #expect(try Self.difference(tree, other, options).isEmpty)
    other.header.bundleVersion = "2"
    #expect(try !Self.difference(tree, other, options).isEmpty)
  }

  @Test func looksAtAPart() throws {
    let old = Self.folders([Self.note("n", "Ferry")], [Self.note("m", "Train")])
    var new = old
    new.applicationState["theme"] = "dark"
    new.nodes[0].children[0].state["title"] = "Bus"
    var options = ArchiveDifference.Options()
    options.path = "right"
    #expect(try Self.difference(old, new, options).isEmpty)
    options.path = "left"
    #expect(Self.changes(try Self.difference(old, new, options)).map(\.path) == ["left/n"])
    options.path = "left/n"
    #expect(try !Self.difference(old, new, options).isEmpty)
    options.path = "nowhere"
    let nowhere = try Self.difference(old, new, options)
    #expect(!nowhere.hasOld && !nowhere.hasNew)
    new.nodes.remove(at: 1)
    options.path = "right"
    #expect(Self.changes(try Self.difference(old, new, options)).map(\.kind) == [.removed])
    #expect(Self.changes(try Self.difference(new, old, options)).map(\.kind) == [.added])
  }

  // MARK: Damage and hostile content

  @Test("damage makes nothing added or removed", arguments: TestStage.every(3, of: try Corpus.files(in: "damaged")))
  func damageIsNotAbsence(_ file: CorpusFile) throws {
    guard let damaged = try? ArchiveReader(inspecting: file.bytes), let intact = try? Corpus.bytes(of: "damaged/base.hex") else { return }
    let base = try ArchiveReader(inspecting: intact)
    guard damaged.contentDigest == base.contentDigest else { return }
    let difference = ArchiveDifference(from: base, to: damaged)
    #expect(difference.counts.added == 0 && difference.counts.removed == 0 && difference.counts.changed == 0)
    let backwards = ArchiveDifference(from: damaged, to: base)
    #expect(backwards.counts.added == 0 && backwards.counts.removed == 0 && backwards.counts.changed == 0)
  }

  @Test("any two files can be compared", arguments: TestStage.every(8, of: try EveryFileTests.files()))
  func comparesEveryFile(_ file: CorpusFile) throws {
    guard let archive = try? ArchiveReader(inspecting: file.bytes) else { return }
    let other = try ArchiveReader(inspecting: Corpus.bytes(of: "valid/apps/kiosk.rsta"))
    for (old, new) in [(archive, archive), (archive, other), (other, archive)] {
      let difference = ArchiveDifference(from: old, to: new)
      var text = Self.text(difference)
      difference.writeStatistics(to: &text)
      #expect(text.hasSuffix("\n"))
      #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
      var json = ""
      difference.writeJSON(oldName: "a", newName: "b", to: &json)
      #expect(try JSONSerialization.jsonObject(with: Data(json.utf8)) is [String: Any])
    }
    // Equal bytes have equal contents; only damage can make them incomparable.
    let counts = ArchiveDifference(from: archive, to: archive).counts
    #expect(counts.total == counts.unreadable)
  }

  @Test("a section of one byte is counted in the singular")
  func countsOneByte() throws {
    func tree(_ bytes: [UInt8]?) throws -> ArchiveTree {
      var tree = ArchiveTree()
      if let bytes { tree.sections = [try ArchiveSection(code: "saFe", data: Data(bytes))] }
      return tree
    }
    let texts = try [([1], [2]), ([1, 2], [1]), (nil, [1]), ([1], nil), (nil, [1, 2])].map { old, new in
      try Self.text(Self.difference(tree(old), tree(new))).split(separator: "\n").first { $0.contains("section") } ?? ""
    }
    #expect(
      texts == [
        "~ section saFe: changed, still 1 byte", "~ section saFe: 2 → 1 byte", "~ section saFe: added, 1 byte",
        "~ section saFe: removed, 1 byte", "~ section saFe: added, 2 bytes",
      ])
  }

  @Test("a difference with revealed values shows those inside containers too")
  func revealsInsideContainers() throws {
    var inner: ArchiveDictionary = ["token": "hunter2"]
    inner.setSensitive(true, forKey: "token")
    let new = ArchiveTree(applicationState: ["login": .dictionary(inner), "list": [.dictionary(inner)]])
    var options = ArchiveDifference.Options()
    options.sensitive = .reveal
    let difference = ArchiveDifference(
      from: try ArchiveReader(inspecting: [UInt8](ArchiveTree().encoded())), to: try ArchiveReader(inspecting: [UInt8](new.encoded())),
      options: options)
    var text = ""
    difference.write(to: &text)
    #expect(text.contains("hunter2"), "\(text)")
  }
}
