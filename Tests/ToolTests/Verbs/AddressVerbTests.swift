import Foundation
import ProcessKit
import StateRestoration
import Testing

/// What people write on a command line: addresses, searches, mistakes; and what programs get for a failure.
@Suite struct AddressVerbTests {
  private let fixture: ToolFixture

  init() throws {
    fixture = try ToolFixture()
  }

  /// Saves three generations of the app and one of a scene into the store of an app.
  private func fillStore(_ folder: String = "app/state") throws {
    try FileManager.default.createDirectory(at: fixture.folder.url("app"), withIntermediateDirectories: true)
    let store = try RestorationStore(folder: fixture.folder.url(folder).path)
    for number in 1...3 { _ = try store.save(ArchiveTree(applicationState: ["n": .integer(number)]).encoded()) }
    let left = try #require(ArchiveName.scene("left"))
    _ = try store.save(ArchiveTree(applicationState: ["n": 9]).encoded(), as: left)
  }

  @Test("an identifier is given back as it was printed")
  func takesPrintedIdentifiers() throws {
    let tree = ArchiveTree(nodes: [ArchiveNode("new\nline", state: ["a": 0.0, "k\u{200B}": ["x": 7]])])
    try Data(tree.encoded()).write(to: fixture.folder.url("line.rsta"))
    let printed = try #require(try fixture.run(["tree", "line.rsta"]).text.split(separator: "\n").last?.dropFirst(3))
    #expect(printed == "new\\u{a}line")
    #expect(try fixture.run(["get", "line.rsta", "new\\u{a}lin"]).error.hasSuffix("  did you mean new\\u{a}line?\n"))
    #expect(try fixture.run(["get", "line.rsta", String(printed), "a"]).text == "0.0\n")
    #expect(try fixture.run(["get", "line.rsta", String(printed), "k\\u{200b}.x"]).text == "7\n")
    #expect(try fixture.run(["diff", "--path", String(printed), "line.rsta", "line.rsta"]).status == 0)
    #expect(try fixture.run(["search", "--path", String(printed), "line.rsta", "7"]).text == "new\\u{a}line k\\u{200b}.x: 7\n")
  }

  @Test("one word leads into a value; what is not there is named")
  func takesPlaces() throws {
    let tree = ArchiveTree(nodes: [ArchiveNode("list", state: ["history": [["title": "one"], ["title": "two"]]])])
    try Data(tree.encoded()).write(to: fixture.folder.url("list.rsta"))
    #expect(try fixture.run(["get", "list.rsta", "list", "history[1].title"]).text == "\"two\"\n")
    #expect(try fixture.run(["get", "--raw", "list.rsta", "list", "history[0].title"]).text == "one")
    let absent = try fixture.run(["get", "list.rsta", "list", "history[1].titel"])
    #expect(absent.status == 1)
    #expect(absent.error == "restoration: list.rsta: list, history, 1 has no value under titel\n  did you mean title?\n")
  }

  @Test("get shows no value out of line that is marked, also not as raw bytes, and suggests no key beside it")
  func hidesObjectsOutOfLine() throws {
    let state = #"{"$objects":{"$sensitive":{"1":{"pw":"hunter2"}}},"x":{"$dictionary":{"$object":1}}}"#
    let json = #"{"application":\#(state),"restorationArchive":1}"#
    try Data(ArchiveTree(json: Data(json.utf8)).encoded()).write(to: fixture.folder.url("line.rsta"))
    for (key, option) in [("pw", "--raw"), ("pw", "--no-pager"), ("pv", "--raw"), ("pv", "--no-pager")] {
      let hidden = try fixture.run(["get", option, "line.rsta", "", "x", key])
      #expect(hidden.status == 1 && hidden.text.isEmpty)
      #expect(hidden.error == "restoration: line.rsta: x is marked as sensitive\n  --reveal shows it\n")
    }
    #expect(try fixture.run(["get", "--raw", "--reveal", "line.rsta", "", "x", "pw"]).text == "hunter2")
  }

  @Test("a generation and a scene are named with the store, and the folder of an app leads to it")
  func takesGenerations() throws {
    try fillStore()
    for (address, number) in [("app@2", "2"), ("app/state@-1", "2"), ("app@0", "3"), ("app", "3"), ("app@left", "9"), ("app@left@0", "9")] {
      let result = try fixture.run(["get", address, "", "n"])
      #expect(result.status == 0 && result.text == "\(number)\n", "\(address): \(result.error)")
      #expect(result.error.hasPrefix("restoration: \(address): "))
    }
    #expect(try fixture.run(["diff", "app@-1", "app@0"]).text.contains("~ n: 2 → 3"))
    #expect(try fixture.run(["store", "app"]).text == fixture.run(["store", "app/state"]).text)
    let absent = try fixture.run(["tree", "app@7"])
    #expect(absent.status == 1)
    #expect(
      absent.error
        == "restoration: app/state: the store has no generation 7\n  its generations are 4, 3, 2; `restoration store app/state` lists what there is\n"
    )
    #expect(try fixture.run(["tree", "app@right"]).error.contains("the store has no scene right\n  its scenes are left; "))
    #expect(try fixture.run(["delta", "-o", "link.rsta", "app@-1", "app@0"]).status == 0)
    #expect(try fixture.run(["apply", "-o", "three.rsta", "app@-1", "link.rsta"]).status == 0)
    #expect(try fixture.run(["get", "three.rsta", "", "n"]).text == "3\n")
    #expect(try fixture.run(["tree", "chain@2"]).error == "restoration: chain@2: no such file, and chain is not a store\n")
    // A file with such a name is that file.
    try FileManager.default.copyItem(at: fixture.folder.url("notes.rsta"), to: fixture.folder.url("app@2"))
    #expect(try fixture.run(["check", "app@2"]).text == "intact: 24 nodes\n")
    #expect(try fixture.run(["check", "nothing@2"]).status == 74)
  }

  @Test("store takes a scene as an address, and finds the archive of a generation; a generation as an address is refused")
  func takesScenesOfStores() throws {
    try fillStore()
    let left = try #require(ArchiveName.scene("left"))
    let more = try RestorationStore(folder: fixture.folder.url("app/state").path)
    _ = try more.save(ArchiveTree(applicationState: ["n": 10]).encoded(), as: left)
    more.endLaunch()
    #expect(try fixture.run(["get", "app@4", "", "n"]).text == "9\n")
    let listing = try fixture.run(["store", "--scene", "left", "app"]).text
    #expect(try listing.hasPrefix("scene left\n") && fixture.run(["store", "app@left"]).text == listing)
    #expect(try fixture.run(["store", "app@left", "app"]).text.hasPrefix("scene left\n"))
    #expect(try fixture.run(["store", "--scene", "right", "app@left"]).status == 64)
    for address in ["app@4", "app@left@4"] {
      let refused = try fixture.run(["store", address])
      #expect(
        refused.status == 64 && refused.error.contains("\(address) is a generation\n  `restoration store app/state"), "\(refused.error)")
    }
    for (arguments, number) in [(["--use", "4", "app"], 6), (["--use", "5", "app@left"], 7)] {
      let text = "generation \(arguments[1]) of scene left was saved again as generation \(number), which is now current\n"
      #expect(try fixture.run(["store"] + arguments).text == text)
    }
    let absent = try fixture.run(["store", "--use", "99", "app"])
    #expect(absent.status == 1 && absent.error.hasSuffix("  `restoration store app/state` lists the generations of each archive\n"))
    #expect(try fixture.run(["store", "--forget", "app@left"]).text == "scene left is forgotten\n")
  }

  @Test("search looks into every archive of a store, and says on each line which one; one that is damaged hides no other")
  func searchesScenes() throws {
    try fillStore()
    let found = try fixture.run(["search", "app", "/^[0-9]$/"])
    #expect(found.status == 0 && found.text == "app/state@left: (application) n: 9\napp/state: (application) n: 3\n", "\(found.text)")
    #expect(!found.error.contains("without"))
    let json = try JSONSerialization.jsonObject(with: fixture.run(["search", "--format", "json", "app", "n"]).output) as? [String: Any]
    #expect((json?["matches"] as? [[String: Any]])?.compactMap { $0["archive"] as? String } == ["left", ""])
    #expect(try fixture.run(["search", "app@left", "9"]).text == "(application) n: 9\n")
    let path = try #require(try fixture.names(in: "app/state").first { $0.hasPrefix("scene-left") })
    try Data("text".utf8).write(to: fixture.folder.url("app/state/\(path)"))
    let rest = try fixture.run(["search", "app", "/^[0-9]$/"])
    #expect(rest.status == 2 && rest.text == "app/state: (application) n: 3\n" && rest.error.contains(path), "\(rest.text)\(rest.error)")
    for options in [[], ["--path", "b"]] {
      let none = try fixture.run(["search", "--format", "json", "app", "x"] + options)
      #expect(none.status == 2 && none.error.hasSuffix(" in the part that can be read\n"), "\(none.error)")
      let object = try JSONSerialization.jsonObject(with: none.output) as? [String: Any]
      let unreadable = try #require((object?["unreadableArchives"] as? [[String: Any]])?.first)
      #expect(unreadable["archive"] as? String == "left" && (unreadable["error"] as? [String: Any])?["status"] as? Int == 2)
    }
  }

  @Test("a path that only one archive of a store prints is searched there; one that none prints is refused")
  func searchesPrintedPathOfScene() throws {
    try fillStore()
    let store = try RestorationStore(folder: fixture.folder.url("app/state").path)
    let right = try #require(ArchiveName.scene("right"))
    _ = try store.save(ArchiveTree(nodes: [ArchiveNode("a~b", state: ["n": 5])]).encoded(), as: right)
    let found = try fixture.run(["search", "--path", "a~b", "app", "/^[0-9]$/"])
    #expect(found.status == 0 && found.text == "app/state@right: a~0b n: 5\n", "\(found.text)\(found.error)")
    let json = try fixture.run(["search", "--path", "a~b", "--format", "json", "app", "n"])
    let object = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
    #expect(json.status == 0 && (object?["matches"] as? [[String: Any]])?.compactMap { $0["archive"] as? String } == ["right"])
    let absent = try fixture.run(["search", "--path", "x~y", "app", "n"])
    #expect(absent.status == 64 && absent.text.isEmpty && absent.error.contains("--path"), "\(absent.error)")
    #expect(try fixture.run(["search", "--path", "x", "app", "n"]).status == 1)
  }

  @Test("no reference of a link by itself is broken: it has only the nodes that changed")
  func marksNoReferencesOfLinks() throws {
    for (name, row) in [("old.rsta", 1), ("new.rsta", 2)] {
      let list = ArchiveNode("list", state: ["front": .reference("other"), "row": .integer(ArchiveInteger(row))])
      try Data(ArchiveTree(nodes: [list, ArchiveNode("other")]).encoded()).write(to: fixture.folder.url(name))
    }
    #expect(try fixture.run(["delta", "-o", "link.rsta", "old.rsta", "new.rsta"]).status == 0)
    for arguments in [["check", "--link"], ["tree", "--state", "--link"], ["get", "--link"]] {
      let shown = try fixture.run(arguments + ["link.rsta"] + (arguments[0] == "get" ? ["list"] : []))
      #expect(shown.status == 0 && !shown.text.isEmpty && !shown.text.contains("broken"), "\(shown.text)\(shown.error)")
    }
  }

  @Test("a reference to a node that is not there is marked wherever it is shown, and is no finding")
  func marksBrokenReferences() throws {
    let tree = ArchiveTree(
      applicationState: ["front": .reference("list")],
      nodes: [ArchiveNode("list", state: ["next": .reference("list/gone"), "all": [.reference("list"), .reference("nowhere")]])])
    try Data(tree.encoded()).write(to: fixture.folder.url("links.rsta"))
    let check = try fixture.run(["check", "links.rsta"])
    let notes = ["list all: broken reference to nowhere", "list next: broken reference to list/gone"].map { "note: \($0)\n" }
    #expect(check.status == 0 && check.text == notes.joined() + "intact: 1 node\n", "\(check.text)")
    #expect(
      try fixture.run(["check", "--limit", "1", "links.rsta"]).text
        == "\(notes[0])… and 1 more broken reference\nintact: 1 node\n")
    let json = try fixture.run(["check", "--format", "json", "links.rsta"]).text
    #expect(json.contains("\"brokenReferenceCount\": 2") && json.contains("\"target\": \"list/gone\""), "\(json)")
    let state = try fixture.run(["tree", "--state", "links.rsta"]).text
    #expect(state.contains("front: -> list\n") && state.contains("next: -> list/gone  (broken reference)\n"), "\(state)")
    #expect(try fixture.run(["get", "links.rsta", "list", "next"]).text == "-> list/gone  (broken reference)\n")
    #expect(try fixture.run(["get", "links.rsta", "list"]).text.contains("-> nowhere  (broken reference)\n"))
  }

  @Test("two stores are compared, archive by archive")
  func comparesStores() throws {
    try fillStore("a")
    try FileManager.default.copyItem(at: fixture.folder.url("a"), to: fixture.folder.url("b"))
    let same = try fixture.run(["store", "a", "b"])
    #expect(
      same.status == 0 && same.text.contains("  a: generation 3, 0 nodes\n  b: generation 3, 0 nodes\n  no difference\n"), "\(same.text)")
    do {
      let store = try RestorationStore(folder: fixture.folder.url("b").path)
      _ = try store.save(ArchiveTree(applicationState: ["n": 4], nodes: [ArchiveNode("new")]).encoded())
      try store.remove(#require(ArchiveName.scene("left")))
    }
    let other = try fixture.run(["store", "a", "b"])
    #expect(other.status == 1)
    #expect(
      other.text == """
        scene left
          a: generation 4, 0 nodes
          b: nothing
        application
          a: generation 3, 0 nodes
          b: generation 5, 1 node
          1 node added, 1 node changed

        """)
    let json = try #require(
      JSONSerialization.jsonObject(with: fixture.run(["store", "--format", "json", "a", "b"]).output) as? [String: Any])
    #expect(json["isSame"] as? Bool == false && (json["archives"] as? [[String: Any]])?.count == 2)
    #expect(try fixture.run(["store", "--use", "1", "a", "b"]).status == 64)
    #expect(try fixture.run(["store", "a", "absent"]).status == 74)
  }

  @Test(
    "a program gets JSON for a failure too, once for each file", arguments: [("letter.txt", 2), ("absent.rsta", 74), ("later.rsta", 2)])
  func failsInJSON(_ file: String, _ status: Int) throws {
    let verbs: [[String]] = [
      ["info", file], ["tree", file], ["get", file, "a"], ["check", file], ["resolve", file], ["search", file, "a"],
      ["diff", "notes.rsta", file],
      ["sizes", file], ["dump", file], ["salvage", file],
    ]
    for verb in verbs {
      let result = try fixture.run([verb[0], "--format", "json"] + verb.dropFirst())
      #expect(Int(result.status) == status, "\(verb)")
      let json = try #require(JSONSerialization.jsonObject(with: result.output) as? [String: Any], "\(verb): \(result.text)")
      guard let error = json["error"] as? [String: Any] else {
        // These verbs list what they found before they fail.
        #expect(["check", "dump", "salvage"].contains(verb[0]), "\(verb)")
        continue
      }
      #expect(error["status"] as? Int == status)
      #expect(result.error.hasPrefix("restoration: \(try #require(error["message"] as? String))\n"), "\(verb)")
    }
    // Wrong usage is for the author of the program.
    #expect(try fixture.run(["tree", "--format", "json"]).output.isEmpty)
  }

  @Test("a pattern of a budget that matches no node of any file is a problem")
  func tellsUnmatchedPatterns() throws {
    try Data("no-such/**: 8 KiB\nroot/**: 8 KiB\n".utf8).write(to: fixture.folder.url("typo.txt"))
    let result = try fixture.run(["sizes", "--budget", "typo.txt", "small.rsta"])
    #expect(result.status == 1 && result.error == "restoration: typo.txt: no-such/** matches no node of small.rsta\n")
    #expect(result.text.hasPrefix("small.rsta: within the budget"))
    let both = try fixture.run(["sizes", "--budget", "typo.txt", "small.rsta", "notes.rsta"])
    #expect(both.error == "restoration: typo.txt: no-such/** matches no node of the files\n", "root is in one of them")
    let json = try fixture.run(["sizes", "--format", "json", "--budget", "typo.txt", "small.rsta"])
    #expect(json.status == 1 && json.text.contains("\"unmatchedPatterns\": [\n    \"no-such/**\"\n  ]"), "\(json.text)")
  }

  @Test("a file that is replaced while the verb runs is not called damaged alone")
  func tellsReplacedFiles() throws {
    let pipe = fixture.folder.url("pipe").path
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    // The tool waits for the first file while the second one is replaced.
    let process = try RunningProcess("restoration", ["check", pipe, fixture.folder.url("small.rsta").path])
    let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe))
    try FileManager.default.removeItem(at: fixture.folder.url("small.rsta"))
    try FileManager.default.copyItem(at: fixture.folder.url("damaged.rsta"), to: fixture.folder.url("small.rsta"))
    try writer.write(contentsOf: Data(contentsOf: fixture.folder.url("kiosk.rsta")))
    try writer.close()
    #expect(process.wait() == 74)
    // Damage of a file that nobody touches stays damage.
    #expect(try fixture.run(["check", "damaged.rsta"]).status == 1)
    #expect(try fixture.run(["convert", "--to", "archive", "--force", "-o", "front.rsta", "front.rsta"]).status != 74)
  }

  @Test("a mistake is told in a short line with the remedy")
  func isBrief() throws {
    let usage = "  USAGE: restoration info [options] FILE\n"
    #expect(
      try fixture.run(["info", "notes.rsta", "small.rsta"]).error == "restoration: info takes only FILE; small.rsta is too many\n\(usage)")
    #expect(try fixture.run(["info"]).error == "restoration: info: FILE is missing\n\(usage)")
    #expect(try fixture.run(["info", ""]).error == "restoration: info: FILE is an empty name\n\(usage)")
    #expect(
      try fixture.run(["resolve", "-r", "", "notes.rsta"]).error
        == "restoration: --register: the pattern is empty\n  ** registers every node\n")
    #expect(try fixture.run(["search", "notes.rsta", "/(/"]).error == "restoration: /(/: a ( without its )\n")
    try FileManager.default.createDirectory(at: fixture.folder.url("other"), withIntermediateDirectories: false)
    #expect(
      try fixture.run(["info", "other"]).error
        == "restoration: other: is a directory without an archive, or with several\n  name a file, or the folder of an app\n")
  }
}
