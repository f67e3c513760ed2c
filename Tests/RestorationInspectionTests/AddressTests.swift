import CorpusKit
import Foundation
import KeyedArchive
import ProcessKit
import RestorationArchive
import StateRestoration
import TestStage
import Testing

@testable import RestorationInspection

/// Addresses of nodes, values and generations, as people write and as the tool prints them.
@Suite struct AddressTests {
  @Test(
    "what is printed for a node leads to it",
    arguments: TestStage.every(3, of: try Corpus.files { $0.path.hasPrefix("valid/") && $0.bytes.count < 100_000 }))
  func findsPrintedPaths(_ file: CorpusFile) throws {
    guard let archive = try? ArchiveReader(inspecting: file.bytes) else { return }
    var checked = 0
    func visit(_ node: NodeReader, _ printed: [String]) throws {
      guard checked < 100 else { return }
      checked += 1
      #expect(try archive.path(printedAs: node.path.description) == node.path)
      // A long path is not printed as a whole, and an identifier with a slash may look like two.
      let names = node.path.components
      if !node.path.displayText.hasPrefix("…"), names.allSatisfy({ !$0.contains("/") && !$0.contains("\\") }) {
        #expect(try archive.path(printedAs: node.path.displayText) == node.path)
        #expect(try archive.path(printedAs: printed.joined(separator: "/")) == node.path)
      }
      for child in try node.children() { try visit(child, printed + [(child.identifier ?? "").escapedForDisplay]) }
    }
    try visit(archive.application(), [])
  }

  private static func reader(_ nodes: [ArchiveNode]) throws -> ArchiveReader {
    try ArchiveReader(inspecting: [UInt8](ArchiveTree(nodes: nodes).encoded()))
  }

  @Test("a path that is spelled is taken before one that is printed, and an absent one stays as it is")
  func prefersSpelling() throws {
    let archive = try Self.reader([
      ArchiveNode("new\nline"), ArchiveNode("new\\u{a}line"), ArchiveNode("a/b~c", children: [ArchiveNode("\u{200B}x")]),
      ArchiveNode("tab\there"),
    ])
    #expect(try archive.path(printedAs: "new\\u{a}line").components == ["new\\u{a}line"])
    #expect(try archive.path(printedAs: "tab\\u{9}here").components == ["tab\there"])
    #expect(try archive.path(printedAs: "a/b~c/\\u{200b}x").components == ["a/b~c", "\u{200B}x"])
    #expect(try archive.path(printedAs: "a~1b~0c/\\u{200b}x").components == ["a/b~c", "\u{200B}x"])
    #expect(try archive.path(printedAs: "(application)").isEmpty)
    #expect(try archive.path(printedAs: "no\\u{a}where").components == ["no\\u{a}where"])
    #expect(throws: ArchiveError.self) { try archive.path(printedAs: "a//b") }
    #expect("\\u{}\\u{d800}\\u{61}\\u{".unescapedFromDisplay == "\\u{}\\u{d800}a\\u{")
  }

  @Test(
    "the words behind a path lead to keys",
    arguments: [
      (["history"], ["history"]), (["history[1].title"], ["history", "1", "title"]),
      (["history", "1", "title"], ["history", "1", "title"]),
      (["history[1]", "title"], ["history", "1", "title"]), (["a.b"], ["a.b"]), (["a.b.c[0]"], ["a.b", "c", "0"]),
      (["\"a.b\".c"], ["a.b", "c"]),
      (["x.y"], ["x.y"]), (["line\\u{a}"], ["line\n"]), (["history[9].title"], ["history", "9", "title"]),
      (["nope.title"], ["nope", "title"]),
      (["history[1"], ["history", "[1"]), (["q\"q"], ["q\"q"]), (["[0]"], ["0"]), ([""], [""]),
    ] as [([String], [String])])
  func splitsPlaces(_ words: [String], _ keys: [String]) {
    let state: ArchiveDictionary = [
      "history": [["title": "one"], ["title": "two"]], "a.b": ["c": [7]], "a": ["b": 1], "x.y": 1, "x": ["y": 2], "line\n": 1, "q\"q": 1,
      "": 3,
    ]
    #expect(ValuePath.keys(words, in: state) == keys)
  }

  @Test("a path that leads nowhere is searched once, however deep the tree is")
  func searchesOnce() throws {
    var chain = ArchiveNode("a")
    for _ in 1..<200 { chain = ArchiveNode("a", children: [chain]) }
    let archive = try Self.reader([chain])
    let names = Array(repeating: "a", count: 199)
    // With two visits at each level it would not end.
    #expect(try archive.path(printedAs: (names + ["nope"]).joined(separator: "/")).components == names + ["nope"])
    #expect(try archive.path(printedAs: (names + ["a"]).joined(separator: "/")).components == names + ["a"])
  }

  // MARK: Sensitive values

  private static func marked(_ key: String, _ value: ArchiveValue) -> ArchiveDictionary {
    ArchiveDictionary([ArchiveDictionary.Entry(key: key, value: value, isSensitive: true)])
  }

  private static func joined(_ parts: ArchiveDictionary...) -> ArchiveDictionary { ArchiveDictionary(parts.flatMap { Array($0) }) }

  /// States with a secret that is out of line, in a list of pairs or in data, and the keys that lead to it.
  private static func secrets() throws -> [(state: ArchiveDictionary, keys: [String])] {
    let secret: ArchiveValue = ["pw": "hunter2"]
    let link: ArchiveDictionary = ["x": ["$object": 1]]
    let root = ArchiveTree(applicationState: marked("root", secret))
    let pairs: ArchiveValue = [["pw", "hunter2"]]
    return [
      (joined(marked("$objects", ["1": secret]), link), ["x", "pw"]),
      (joined(["$objects": .dictionary(marked("1", secret))], link), ["x", "pw"]),
      (joined(["$objects": ["1": .dictionary(marked("pw", "hunter2"))]], link), ["x", "pw"]),
      (joined(["$objects": ["1": secret]], marked("x", ["$object": 1])), ["x", "pw"]),
      (["$objects": ["1": secret], "x": .dictionary(marked("$object", 1))], ["x", "pw"]),
      (joined(marked("$objects", ["1": "hunter2"]), ["list": [["$object": 1]]]), ["list", "0"]),
      (["data": .data(try root.keyedArchive())], ["data", "pw"]),
      (marked("$entries", pairs), ["pw"]), (["x": .dictionary(marked("$entries", pairs))], ["x", "pw"]),
    ]
  }

  @Test("each mark on the way to a value makes it sensitive, and nothing in a hidden one is found or suggested")
  func keepsMarks() throws {
    for (state, keys) in try Self.secrets() {
      guard case .success(let entry) = ValuePath.entry(keys[...], in: state, sensitive: .reveal) else {
        Issue.record("\(keys) leads nowhere in \(state)")
        continue
      }
      #expect(entry.isSensitive && entry.value == "hunter2", "\(state)")
    }
    for state in [Self.marked("x", ["pw": 1]), Self.joined(Self.marked("$objects", ["1": ["pw": 1]]), ["x": ["$object": 1]])] {
      for key in ["pw", "pv"] {
        guard case .failure(let absence) = ValuePath.entry(["x", key], in: state) else {
          Issue.record("\(key) is found")
          continue
        }
        #expect(absence.depth == 1 && absence.candidates.isEmpty && absence.isHidden)
      }
      guard case .failure(let absence) = ValuePath.entry(["x", "pv"], in: state, sensitive: .reveal) else {
        Issue.record("pv is there")
        continue
      }
      #expect(absence.depth == 1 && absence.candidates == ["pw"] && !absence.isHidden)
    }
  }

  // MARK: Generations

  @Test("a generation is named by number, by its place from the newest, and by scene")
  func findsGenerations() throws {
    let folder = try TemporaryFolder()
    let state = folder.url("app@home/state").path
    try FileManager.default.createDirectory(at: folder.url("app@home"), withIntermediateDirectories: false)
    let (left, seven) = try (#require(ArchiveName.scene("left")), #require(ArchiveName.scene("7")))
    do {
      let store = try RestorationStore(folder: state)
      for number in 1...3 { _ = try store.save(ArchiveTree(applicationState: ["n": .integer(number)]).encoded()) }
      for scene in [left, seven] { _ = try store.save(ArchiveTree(applicationState: ["n": 9]).encoded(), as: scene) }
    }
    func file(_ words: String, in name: String = state) throws -> String? {
      try GenerationAddress("\(name)@\(words)").map { String(try $0.file().split(separator: "/").last ?? "") }
    }
    #expect(try file("2") == "application.0000000002.rsta" && file("-1") == "application.0000000002.rsta")
    #expect(try file("0") == "application.0000000003.rsta" && file("3") == file("0"))
    #expect(
      try file("left")?.hasPrefix("scene-left.") == true && file("left@0") == file("left") && file("7@0")?.hasPrefix("scene-7.") == true)
    // A scene is named as it is printed, or by its identifier.
    for name in ["new\nline", "new\\u{61}line"] {
      _ = try RestorationStore(folder: state).save(ArchiveTree().encoded(), as: #require(ArchiveName.scene(name)))
    }
    #expect(try file("new\\u{a}line") == file("new\nline") && file("new\nline")?.hasPrefix("scene-new%0aline.") == true)
    #expect(try file("new\\u{61}line")?.contains("%5c") == true)
    // The folder of the app leads to its store, also if its name has the sign.
    #expect(try file("3", in: folder.url("app@home").path) == "application.0000000003.rsta")
    #expect(GenerationAddress(folder.url("app@home").path) == nil && GenerationAddress("no-folder@1") == nil)
    for absent in ["9", "-2", "1", "left@99", "right", "\(Int.min)", "\(Int.max)"] {
      #expect(throws: GenerationAddress.Failure.self, "\(absent)") { try file(absent) }
    }
    #expect(GenerationAddress.store(in: state) == state && GenerationAddress.store(in: folder.url("app@home").path) == state)
    try FileManager.default.copyItem(atPath: state, toPath: folder.url("app@home/other").path)
    #expect(GenerationAddress.store(in: folder.url("app@home").path) == nil, "two stores are none")
  }
}
