import CorpusKit
import Foundation
import ProcessKit
import RestorationArchive
import StateRestoration
import Testing

/// `diff`, `sizes` and `report` on the inputs that support compares: generations, scenes, links and other forms.
@Suite struct ComparisonTests {
  private let fixture: ToolFixture

  init() throws {
    fixture = try ToolFixture()
  }

  private static func tree(row: Int, at time: Double) -> ArchiveTree {
    ArchiveTree(
      header: ArchiveHeader(bundleVersion: "7", timestamp: Date(timeIntervalSinceReferenceDate: time)),
      nodes: [ArchiveNode("list", type: "List", state: ["row": .integer(ArchiveInteger(row))])])
  }

  @Test("two generations of a store, and the archives of two scenes")
  func comparesGenerationsAndScenes() throws {
    let store = try RestorationStore(folder: fixture.folder.url("state").path)
    let left = try #require(ArchiveName.scene("left"))
    let right = try #require(ArchiveName.scene("right"))
    try store.save(Self.tree(row: 1, at: 0).encoded())
    try store.save(Self.tree(row: 2, at: 60).encoded())
    try store.save(Self.tree(row: 3, at: 0).encoded(), as: left)
    try store.save(Self.tree(row: 3, at: 60).encoded(), as: right)
    func file(_ archive: ArchiveName, _ place: Int) throws -> String {
      "state/\(try store.generations(of: archive).sorted { $0.number < $1.number }[place].fileName)"
    }
    let generations = try fixture.run(["diff", "--ignore", "volatile", file(.application, 0), file(.application, 1)])
    #expect(generations.text == "~ list  List\n    ~ row: 1 → 2\n1 node changed\n" && generations.status == 1)
    let scenes = try fixture.run(["diff", file(left, 0), file(right, 0)])
    #expect(scenes.status == 1 && scenes.text.contains("timestamp"), "\(scenes.text)")
    let same = try fixture.run(["diff", "--ignore=volatile", file(left, 0), file(right, 0)])
    #expect(same.text == "no difference\n" && same.status == 0)
  }

  @Test("a node that an app has not saved itself is one line")
  func tellsCarriedNodes() throws {
    var carried = Self.tree(row: 1, at: 0)
    carried.nodes[0].origin = ArchiveOrigin(bundleVersion: "6", sessionsCarried: 2)
    try Data(Self.tree(row: 1, at: 0).encoded()).write(to: fixture.folder.url("own.rsta"))
    try Data(carried.encoded()).write(to: fixture.folder.url("carried.rsta"))
    for (files, words) in [(["own.rsta", "carried.rsta"], "carried over"), (["carried.rsta", "own.rsta"], "no longer carried over")] {
      #expect(try fixture.run(["diff"] + files).text == "~ list  List  (\(words) from build 6)\n1 node changed\n")
    }
    let json = try fixture.run(["tree", "--format", "json", "carried.rsta"]).text
    #expect(json.contains("\"origin\": {\n        \"bundleVersion\": \"6\",\n        \"sessionsCarried\": 2\n      }"), "\(json)")
  }

  @Test("an archive, its JSON form, a keyed archive of it and standard input have the same contents")
  func comparesForms() throws {
    #expect(try fixture.run(["convert", "--to", "keyed-archive", "-o", "small.plist", "small.rsta"]).status == 0)
    for other in ["small.json", "small.plist"] {
      let result = try fixture.run(["diff", "small.rsta", other])
      #expect(result.status == 0 && result.text == "no difference\n", "\(other): \(result.text)\(result.error)")
      let sizes = try fixture.run(["sizes", other])
      #expect(sizes.output == (try fixture.run(["sizes", "small.rsta"]).output), "\(other)")
      #expect(try fixture.run(["report", "-o", "page-\(other).html", other]).status == 0)
    }
    let piped = try fixture.run(["diff", "-", "small.rsta"], standardInput: fixture.folder.url("small.json").path)
    #expect(piped.status == 0, "\(piped.error)")
    let both = try fixture.run(["diff", "-", "-"])
    #expect(both.status == 64 && both.error.contains("only one of OLD and NEW"))
  }

  @Test("--stat counts the nodes at a path and below it, as text and as JSON")
  func countsBelowAPath() throws {
    func tree(_ names: [String]) -> ArchiveTree {
      let first = ArchiveNode("a", type: "A", state: ["size": .integer(ArchiveInteger(names.count))])
      return ArchiveTree(nodes: [first] + names.map { ArchiveNode($0, type: "C") })
    }
    try Data(tree(["b"]).encoded()).write(to: fixture.folder.url("one.rsta"))
    try Data(tree(["b", "c"]).encoded()).write(to: fixture.folder.url("two.rsta"))
    let part = try fixture.run(["diff", "--stat", "--path", "a", "one.rsta", "two.rsta"])
    #expect(part.text.hasPrefix("1 node changed\nnodes: 1 → 1\nbytes of state: ") && !part.text.contains("C: "), "\(part.text)")
    let all = try fixture.run(["diff", "--stat", "one.rsta", "two.rsta"])
    #expect(all.text.contains("nodes: 2 → 3\n") && all.text.contains("C: 1 node → 2\n"), "\(all.text)")
    for (path, nodes, types) in [(["--path", "a"], [1, 1], 0), ([], [2, 3], 1)] {
      let json = try fixture.run(["diff", "--stat", "--format", "json"] + path + ["one.rsta", "two.rsta"])
      let report = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
      let statistics = try #require(report["statistics"] as? [String: Any])
      let counts = try #require(statistics["nodes"] as? [String: Int])
      #expect([counts["old"], counts["new"]] == nodes && (statistics["types"] as? [Any])?.count == types)
      #expect((statistics["fileBytes"] == nil) == !path.isEmpty)
    }
  }

  @Test("a link stands for the archive of its chain, unless --link asks for the link itself")
  func comparesLinks() throws {
    #expect(try fixture.run(["apply", "chain/1.rsta", "chain/2.rsta", "chain/3.rsta", "-o", "whole.rsta"]).status == 0)
    let whole = try fixture.run(["diff", "chain/3.rsta", "whole.rsta"])
    #expect(whole.status == 0 && whole.text == "no difference\n", "\(whole.text)")
    #expect(whole.error == "restoration: chain/3.rsta: chain/1.rsta with 2 links\n")
    #expect(try fixture.run(["diff", "chain/1.rsta", "chain/3.rsta"]).status == 1)
    #expect(try fixture.run(["sizes", "chain/3.rsta"]).output == fixture.run(["sizes", "whole.rsta"]).output)
    let link = try fixture.run(["sizes", "--link", "--by", "overhead", "chain/3.rsta"])
    #expect(link.text.contains("section LINK"), "\(link.text)\(link.error)")
    #expect(try fixture.run(["report", "-o", "page.html", "chain/3.rsta"]).status == 0)
    let lost = try fixture.run(["diff", "lost/3.rsta", "whole.rsta"])
    #expect(lost.error.contains("in the same folder") && lost.output.isEmpty)
  }

  @Test("each of several files is named in JSON, and a file that cannot be read does not hide the others")
  func namesFiles() throws {
    let result = try fixture.run(["sizes", "--format", "json", "--by", "kind", "notes.rsta", "absent.rsta", "kiosk.rsta"])
    let objects = try result.text.split(separator: "\n}\n").map { try JSONSerialization.jsonObject(with: Data("\($0)}".utf8)) }
    #expect(objects.compactMap { ($0 as? [String: Any])?["file"] as? String } == ["notes.rsta", "kiosk.rsta"])
    #expect(result.status == 74 && result.error == "restoration: absent.rsta: no such file or directory\n")
    let difference = try fixture.run(["diff", "--format", "json", "--stat", "notes.rsta", "kiosk.rsta"])
    let names = try JSONSerialization.jsonObject(with: difference.output) as? [String: Any]
    #expect(names?["old"] as? String == "notes.rsta" && names?["new"] as? String == "kiosk.rsta")
  }

  @Test("a budget is kept with status 0, exceeded with 1, and not understood with 64")
  func endsByBudget() throws {
    for (text, status, answer) in [
      ("(archive): 1 MiB\n**: 64 KiB\n", 0, "within the budget"), ("(each node): 1\n", 1, "over budget"), ("main/**\n", 64, "line 1"),
      ("(archive): 99999999999999999999999 MiB\n", 64, "line 1"), ("# nothing\n", 0, "within the budget"),
    ] as [(String, Int32, String)] {
      try Data(text.utf8).write(to: fixture.folder.url("limits.txt"))
      let result = try fixture.run(["sizes", "--budget", "limits.txt", "notes.rsta"])
      #expect(result.status == status && (result.text + result.error).contains(answer), "\(text): \(result.text)\(result.error)")
    }
  }

  @Test("what damage hides is not taken for absent, and the counts say so")
  func tellsDamage() throws {
    let result = try fixture.run(["diff", "--stat", "notes.rsta", "cut.rsta"])
    #expect(result.status == 1 && result.text.hasPrefix("1 part not comparable because of damage\nonly readable nodes are counted:\n"))
    let choice = try fixture.run(["diff", "--ignore", "everything", "notes.rsta", "notes.rsta"])
    #expect(choice.error == "restoration: --ignore: the only choice is volatile, not \"everything\"\n")
  }

  @Test("a folder of other files is no store, for report as for store")
  func refusesOtherFolders() throws {
    for verb in [["store"], ["report", "-o", "page.html"]] {
      let result = try fixture.run(verb + ["circle"])
      #expect(result.status == 1 && result.error.contains("is not a store: the folder contains no store files"), "\(result.error)")
    }
  }

  @Test("no output replaces an input, under whatever name, or a file of a folder that is one")
  func keepsInputs() throws {
    let notes = try Data(contentsOf: fixture.folder.url("notes.rsta"))
    try FileManager.default.createSymbolicLink(atPath: fixture.folder.url("symbolic.rsta").path, withDestinationPath: "notes.rsta")
    try FileManager.default.linkItem(at: fixture.folder.url("notes.rsta"), to: fixture.folder.url("hard.rsta"))
    for verb in [["report"], ["convert", "--redact"], ["salvage"]] {
      for output in ["notes.rsta", "./notes.rsta", "symbolic.rsta", "hard.rsta"] {
        let result = try fixture.run(verb + ["--force", "-o", output, "notes.rsta"])
        #expect(result.status == 64 && result.error.contains("the output would replace its input"), "\(verb) \(output): \(result.error)")
      }
    }
    for arguments in [["delta", "notes.rsta", "kiosk.rsta"], ["report", "kiosk.rsta", "notes.rsta"]] {
      #expect(try fixture.run(arguments + ["--force", "-o", "notes.rsta"]).status == 64, "\(arguments)")
    }
    #expect(try fixture.run(["apply", "--force", "-o", "chain/1.rsta", "chain/1.rsta", "chain/2.rsta"]).status == 64)
    let piped = try fixture.run(["report", "--force", "-o", "notes.rsta", "-"], standardInput: fixture.folder.url("notes.rsta").path)
    #expect(piped.status == 64, "\(piped.error)")
    let folder = try fixture.run(["report", "--force", "-o", "chain/1.rsta", "chain"])
    #expect(folder.status == 64 && folder.error.contains("a file of its input"), "\(folder.error)")
    #expect(try Data(contentsOf: fixture.folder.url("notes.rsta")) == notes)
    #expect(try fixture.run(["report", "--force", "-o", "other.html", "notes.rsta"]).status == 0)
  }

  @Test("no output replaces a file that is read with an input: the others of a chain, the windows beside a log")
  func keepsCompanions() throws {
    let windows = "notes.savedState/windows.plist"
    let cases: [(verb: [String], input: String, output: String)] = [
      (["convert", "--to", "json"], "chain/2.rsta", "chain/1.rsta"), (["convert", "--to", "archive"], "chain/3.rsta", "chain/2.rsta"),
      (["salvage"], "chain/3.rsta", "chain/1.rsta"), (["report"], "chain/3.rsta", "chain/1.rsta"),
      (["convert"], "notes.savedState/data.data", windows), (["report"], "notes.savedState/data.data", windows),
    ]
    for (verb, input, output) in cases {
      let before = try Data(contentsOf: fixture.folder.url(output))
      let result = try fixture.run(verb + ["--force", "-o", output, input])
      #expect(result.status == 64, "\(result.error)")
      #expect(result.error.contains("the output would replace a file that is read with its input"), "\(result.error)")
      #expect(try Data(contentsOf: fixture.folder.url(output)) == before, "\(verb) \(input)")
    }
    #expect(try fixture.run(["delta", "--force", "-o", "chain/1.rsta", "chain/2.rsta", "chain/3.rsta"]).status == 64)
    // What is not read may be replaced.
    let files = ["chain/changed.rsta", "chain/2.rsta"]
    let apply = try fixture.run(["apply", "--force", "-o", files[0], "chain/1.rsta", files[1]])
    #expect(apply.status == 0, "\(apply.error)")
    #expect(try fixture.run(["convert", "--force", "--to", "archive", "-o", "chain/3.rsta", "chain/2.rsta"]).status == 0)
  }

  @Test("a page of two archives, and without the folders of their names")
  func reportsPairs() throws {
    #expect(try fixture.run(["report", "-o", "pair.html", "./notes.rsta", fixture.folder.url("kiosk.rsta").path]).status == 0)
    let page = try String(contentsOf: fixture.folder.url("pair.html"), encoding: .utf8)
    #expect(page.contains("\"title\": \"notes.rsta and kiosk.rsta\"") && page.contains("\"comparison\": ["))
    #expect(!page.contains(fixture.folder.url("kiosk.rsta").deletingLastPathComponent().lastPathComponent))
    let both = try fixture.run(["report", "-o", "stdin.html", "-", "-"])
    #expect(both.status == 64 && both.error.contains("only one of PATH and NEW"))
  }
}
