import Foundation
import ProcessKit
import StateRestoration
import Testing

/// Verbs on the folder of a store, and on the files in it.
@Suite struct StoreFolderTests {
  private let fixture: ToolFixture

  init() throws {
    fixture = try ToolFixture()
  }

  /// Saves an archive with one text, which is longer than a block, and a number that changes with every save.
  private func save(_ numbers: ClosedRange<Int>, as name: ArchiveName = .application) throws {
    let store = try RestorationStore(folder: fixture.folder.url("state").path)
    _ = try store.beginLaunch()
    let text = String(repeating: "text ", count: 2000)
    for number in numbers {
      let nodes = [ArchiveNode("text", type: "Text", state: ["text": .string(text)]), ArchiveNode("n", state: ["n": .integer(number)])]
      _ = try store.save(ArchiveTree(header: ArchiveHeader(bundleVersion: "1"), nodes: nodes).encoded(), as: name)
    }
    store.endLaunch()
  }

  /// The path of the base, or of a link, of the app's generation.
  private func file(_ link: Int? = nil) -> String {
    "state/application.0000000001\(link.map { ".link-000\($0)" } ?? "").rsta"
  }

  /// Changes a byte of a file.
  private func damage(_ name: String, at place: (Int) -> Int = { $0 / 2 }) throws {
    var bytes = try Data(contentsOf: fixture.folder.url(name))
    bytes[place(bytes.count)] ^= 0xFF
    try bytes.write(to: fixture.folder.url(name))
  }

  @Test("the folder of a store stands for the app's newest generation with its links, and never for the ledger")
  func takesTheNewestGeneration() throws {
    try save(1...4)
    #expect(try fixture.names(in: "state").contains("ledger.rsta"))
    for folder in ["state", "state/"] {
      let result = try fixture.run(["get", folder, "n", "n"])
      #expect(result.status == 0 && result.text == "4\n", "\(result.error)")
      #expect(result.error.hasSuffix(": \(file()) with 3 links\n"), "\(result.error)")
    }
    // A damaged link is the app's own, whatever else is in the folder.
    try damage(file(2))
    for verb in [["check", "state"], ["info", "state"], ["tree", "state"], ["get", "state", "n"], ["convert", "state"]] {
      let result = try fixture.run(verb)
      #expect(result.status != 0, "\(verb)")
      #expect((verb[0] == "check" ? result.text : result.error).contains(file(2)), "\(result.error)")
    }
  }

  @Test("a generation without links is taken too, and files that are set aside are not")
  func takesAGenerationWithoutLinks() throws {
    try save(1...1)
    for mark in ["damaged", "declined"] {
      try FileManager.default.copyItem(
        at: fixture.folder.url(file()), to: fixture.folder.url("state/application.0000000007.\(mark).rsta"))
    }
    let result = try fixture.run(["check", "state"])
    #expect(result.status == 0 && result.text == "intact: 2 nodes\n")
    #expect(result.error == "restoration: state: \(file())\n")
  }

  @Test("the app's own archive is taken before those of scenes; only scenes are refused by name")
  func prefersTheApp() throws {
    try save(1...1)
    let (left, right) = try (#require(ArchiveName.scene("left")), #require(ArchiveName.scene("right")))
    try save(7...7, as: left)
    try save(8...8, as: right)
    #expect(try fixture.run(["get", "state", "n", "n"]).text == "1\n")
    try FileManager.default.removeItem(at: fixture.folder.url(file()))
    let result = try fixture.run(["tree", "state"])
    #expect(result.status == 1)
    #expect(
      result.error == """
        restoration: state: the store has no archive of the app itself, only of scene right, scene left
          name a file, such as state/scene-right.0000000003.rsta, or a scene: state@right

        """)
  }

  @Test("87: a verb on the folder of a store says that it leaves the scenes out; convert writes all archives into a folder")
  func namesTheScenes() throws {
    try save(1...1)
    for (number, name) in [(7, "left"), (8, "Zimmer/2")] { try save(number...number + 1, as: #require(ArchiveName.scene(name))) }
    let note =
      "restoration: state: \(file())\n  without the 2 scenes of the store, each of which can be named instead: state@Zimmer/2, state@left\n"
    for verb in ["tree state", "tree --format json state", "salvage state", "convert --to archive state"] {
      let result = try fixture.run(verb.split(separator: " ").map(String.init))
      #expect(result.status == 0 && result.error.hasPrefix(note), "\(verb): \(result.error)")
    }
    #expect(try fixture.run(["tree", "state@left"]).error.contains("scene") && !fixture.run(["tree", file()]).error.contains("scene"))
    try FileManager.default.createDirectory(at: fixture.folder.url("all"), withIntermediateDirectories: false)
    let names = ["application.rsta", "scene-%5aimmer%2f2.rsta", "scene-left.rsta"]
    let result = try fixture.run(["convert", "--to", "archive", "-o", "all", "state"])
    #expect(result.status == 0, "\(result.error)")
    #expect(try fixture.names(in: "all") == names)
    for (name, number) in zip(names, [1, 9, 8]) { #expect(try fixture.run(["get", "all/\(name)", "n", "n"]).text == "\(number)\n") }
    #expect(try fixture.run(["convert", "--to", "archive", "-o", "all", "state"]).status == 74)
    #expect(try fixture.run(["convert", "-o", "all/", "state"]).status == 0)
    #expect(try fixture.names(in: "all").count == 6)
    #expect(try fixture.run(["convert", "-o", "all", "notes.rsta"]).status == 64)
    let refused = try fixture.run(["convert", "-o", "state", "state"])
    #expect(refused.status == 64 && refused.error.contains("state: is the folder of a store, which only its app writes"))
    try FileManager.default.removeItem(at: fixture.folder.url(file()))
    #expect(try fixture.run(["convert", "--force", "-o", "all", "state"]).status == 0)
  }

  @Test("check looks at the archives of all scenes of a store, and says of a file that ends early what to do")
  func checksAllScenes() throws {
    try save(1...1)
    try save(1...1, as: #require(ArchiveName.scene("left")))
    let checked = try fixture.run(["check", "state"])
    #expect(checked.status == 0 && checked.text.split(separator: "\n").count { $0 == "intact: 2 nodes" } == 2, "\(checked.text)")
    let name = try #require(try fixture.names(in: "state").last { $0.hasPrefix("scene-left") && $0.hasSuffix(".rsta") })
    let place = fixture.folder.url("state/\(name)")
    try Data(contentsOf: place).dropLast(4000).write(to: place)
    let damaged = try fixture.run(["check", "state"])
    #expect(damaged.status == 1 && damaged.text.contains("lost: whatever was after the end"), "\(damaged.text)")
  }

  @Test("an archive of a store that cannot be converted does not keep the others from it")
  func convertsTheOthers() throws {
    try save(1...1)
    let state = ArchiveDictionary([ArchiveDictionary.Entry(key: "token", value: "hunter2", isSensitive: true)])
    // The archive that was saved last comes first.
    for (name, state) in [("before", [:]), ("secret", state), ("after", [:])] as [(String, ArchiveDictionary)] {
      let store = try RestorationStore(folder: fixture.folder.url("state").path)
      _ = try store.save(ArchiveTree(applicationState: state).encoded(), as: #require(ArchiveName.scene(name)))
    }
    try FileManager.default.createDirectory(at: fixture.folder.url("all"), withIntermediateDirectories: false)
    let result = try fixture.run(["convert", "-o", "all", "state"])
    #expect(result.status == 1 && result.error.contains("holds values that the app marked as sensitive"), "\(result.error)")
    #expect(try fixture.names(in: "all") == ["application.json", "scene-after.json", "scene-before.json"])
    #expect(try fixture.run(["convert", "--force", "--redact", "-o", "all", "state"]).status == 0)
    #expect(try fixture.names(in: "all").count == 4)
  }

  @Test("convert says that closed scenes are left out")
  func tellsClosedScenes() throws {
    let notes = try fixture.run(["notes", "--plain", "app"], input: Data("new-window other\nclose-window\nquit\n".utf8))
    #expect(notes.status == 0, "\(notes.text)")
    try FileManager.default.createDirectory(at: fixture.folder.url("all"), withIntermediateDirectories: false)
    let result = try fixture.run(["convert", "-o", "all", "app/state"])
    #expect(result.status == 0 && result.error.contains("app/state: without the 1 closed scene\n"), "\(result.error)")
    #expect(try fixture.names(in: "all") == ["application.json"])
  }

  @Test("a folder without an archive is reported as such")
  func findsNothing() throws {
    try save(1...2)
    for name in try fixture.names(in: "state") where name.hasPrefix("application.") {
      try FileManager.default.removeItem(at: fixture.folder.url("state/\(name)"))
    }
    let result = try fixture.run(["check", "state"])
    #expect(result.status == 1)
    #expect(
      result.error == """
        restoration: state: the store has no archive that a launch would restore
          `restoration store state` lists everything in the folder of a store

        """)
    try FileManager.default.createDirectory(at: fixture.folder.url("other"), withIntermediateDirectories: false)
    let other = try fixture.run(["info", "other"])
    #expect(
      other.status == 74 && other.error.hasPrefix("restoration: other: is a directory without an archive, or with several\n"),
      "\(other.error)")
  }

  @Test("a missing link is named")
  func namesAMissingLink() throws {
    try save(1...4)
    try FileManager.default.removeItem(at: fixture.folder.url(file(2)))
    for name in ["state", file(3)] {
      let result = try fixture.run(["tree", name])
      #expect(result.status == 2)
      #expect(result.error.hasPrefix("restoration: \(file(2)): the link is missing [R-15.3-1]\n"), "\(result.error)")
    }
    #expect(try fixture.run(["get", file(1), "n", "n"]).text == "2\n")
  }

  @Test("a base says which links follow it, on standard error", arguments: ["text", "json"])
  func namesTheLinksOfABase(_ format: String) throws {
    try save(1...4)
    let note = "restoration: \(file()): 3 links follow with later saves; for the newest state, name \(file(3))\n"
    for verb in [["info", file()], ["tree", file()], ["check", file()], ["get", file(), "n"], ["sizes", file()], ["salvage", file()]] {
      let result = try fixture.run([verb[0], "--format", format] + verb.dropFirst())
      #expect(result.status == 0 && result.error == note, "\(verb): \(result.error)")
    }
    #expect(try fixture.run(["tree", "--link", file()]).error.isEmpty)
    // The last link, and a base without links, need no hint.
    #expect(try fixture.run(["tree", file(3)]).error == "restoration: \(file(3)): \(file()) with 3 links\n")
    for link in 1...3 { try FileManager.default.removeItem(at: fixture.folder.url(file(link))) }
    #expect(try fixture.run(["tree", file()]).error.isEmpty)
  }

  // MARK: Salvage

  @Test("salvage of a chain takes the last save to which intact links lead, and says how many are lost")
  func salvagesUpToADamagedLink() throws {
    try save(1...6)
    try damage(file(4))
    for name in ["state", file(4)] {
      let (count, lost) = name == "state" ? (5, "the last 2 saves") : (4, "the last save")
      let result = try fixture.run(["salvage", name, "-o", "out.rsta", "--force"])
      #expect(result.status == 1)
      #expect(result.text.hasPrefix("rescued 2 nodes without \(lost)\n"), "\(result.text)")
      #expect(
        result.error.hasPrefix(
          "restoration: \(name): \(file()) with 3 of its \(count) links; \(lost) cannot be used\n  \(file(4)): block "),
        "\(result.error)")
      let rescued = try fixture.run(["get", "out.rsta", "n", "n"])
      #expect(rescued.status == 0 && rescued.text == "4\n")
    }
  }

  @Test("salvage of a chain with a damaged base adds what the links hold to what is left of the base", arguments: [nil, 2])
  func salvagesADamagedBase(_ damagedLink: Int?) throws {
    try save(1...3)
    try damage(file())
    if let damagedLink { try damage(file(damagedLink)) }
    let result = try fixture.run(["salvage", "state", "-o", "out.rsta"])
    #expect(result.status == 1)
    let (saves, links) = damagedLink == nil ? ("", "2 links") : (" without the last save", "1 link")
    #expect(result.text.hasPrefix("rescued 2 nodes\(saves)\nthe archive has "), "\(result.text)")
    #expect(result.text.contains("\nwhat \(links) changed after it is added; what follows was lost before\n"), "\(result.text)")
    #expect(
      result.error.hasPrefix("restoration: state: \(file()) is damaged, so that a launch cannot use its 2 links\n  \(file()): block "),
      "\(result.error)")
    #expect(try fixture.run(["get", "out.rsta", "n", "n"]).text == (damagedLink == nil ? "3\n" : "2\n"))
  }

  @Test("salvage of an intact chain says nothing of losses; other verbs name salvage")
  func salvagesAnIntactChain() throws {
    try save(1...3)
    let intact = try fixture.run(["salvage", "state", "-o", "out.rsta"])
    #expect(intact.status == 0 && intact.text.hasPrefix("rescued everything: 2 nodes\n"))
    #expect(intact.error == "restoration: state: \(file()) with 2 links\n")
    try damage(file(2))
    let hint = "`restoration check state` lists what is lost, `restoration salvage state` rescues the rest"
    #expect(try fixture.run(["tree", "state"]).error.hasSuffix("\n  \(hint)\n"))
  }

  @Test("salvage without -o says that nothing was written")
  func salvagesWithoutOutput() throws {
    let result = try fixture.run(["salvage", "notes.rsta"])
    #expect(result.status == 0)
    #expect(
      result.text == """
        everything can be rescued: 24 nodes
        nothing was written: -o OUT writes the archive to OUT
        the archive would have 5310 bytes, the file has 5310

        """)
  }

  // MARK: Check

  @Test("check of a chain with a damaged link lists the lost saves, and exits with 1")
  func checksADamagedLink() throws {
    try save(1...4)
    try damage(file(2))
    let result = try fixture.run(["check", "state"])
    #expect(result.status == 1)
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 3 && lines[0].hasPrefix("block-damaged: \(file(2)): block 0 is damaged: "), "\(result.text)")
    #expect(lines[1] == "lost: the last 2 saves: \(file(2)) to \(file(3))")
    #expect(lines[2] == "1 finding in an archive of 2 nodes with 1 of its 3 links")
    #expect(result.error == "restoration: state: \(file()) with 1 of its 3 links; the last 2 saves cannot be used\n")
    let json = try fixture.run(["check", "--format", "json", "state"])
    #expect(json.status == 1 && json.text.contains("\"isValid\": false") && json.text.contains("\"findingCount\": 1"))
    #expect(json.text.contains("\"code\": \"block-damaged\""))
  }

  @Test("check of a chain lists damage that costs nothing", arguments: [0, 1])
  func checksADamagedCopy(_ link: Int) throws {
    try save(1...2)
    let damaged = link == 0 ? file() : file(link)
    var bytes = try Data(contentsOf: fixture.folder.url(damaged))
    bytes[0] ^= 1
    try bytes.write(to: fixture.folder.url(damaged))
    let result = try fixture.run(["check", "state"])
    #expect(result.status == 1 && result.text.hasPrefix("prefix-damaged: \(damaged): "), "\(result.text)")
    #expect(result.text.hasSuffix("\n1 finding in an archive of 2 nodes\n"), "\(result.text)")
    #expect(try fixture.run(["get", "state", "n", "n"]).text == "2\n")
  }

  @Test("check of a chain with a damaged base lists the loss in the base and the lost saves")
  func checksADamagedBase() throws {
    try save(1...2)
    try damage(file())
    let result = try fixture.run(["check", "state"])
    #expect(result.status == 1)
    let lines = result.text.split(separator: "\n")
    #expect(lines.contains("lost: the last save: \(file(1))") && lines.contains { $0.hasPrefix("lost by damage from ") }, "\(result.text)")
    #expect(lines.last?.hasSuffix(" in an archive of 2 nodes without its 1 link") == true, "\(result.text)")
    // Nothing of the base can be read.
    try Data("text".utf8).write(to: fixture.folder.url(file()))
    #expect(try fixture.run(["check", "state"]).status == 2)
  }

  @Test("a link that cannot be read is an input error, and its saves are lost all the same")
  func namesAnUnreadableLink() throws {
    try save(1...3)
    try FileManager.default.removeItem(at: fixture.folder.url(file(2)))
    try FileManager.default.createDirectory(at: fixture.folder.url(file(2)), withIntermediateDirectories: false)
    for verb in ["check", "salvage"] {
      let result = try fixture.run([verb, "state"])
      #expect(result.status == 74 && result.text.contains("the last save"), "\(result.text)")
      #expect(result.error.contains("; the last save cannot be used\n"), "\(result.error)")
      // A check has it among its findings.
      #expect((verb == "check" ? result.text : result.error).contains("\(file(2)): is a directory\n"), "\(result.text)\(result.error)")
    }
    #expect(try fixture.run(["tree", "state"]).status == 74)
  }

  @Test("store prints what is wrong besides the archives, and exits with 1")
  func listsWhatIsWrong() throws {
    try save(1...3)
    #expect(try fixture.run(["store", "state"]).status == 0)
    try damage("state/ledger.rsta")
    let ledger = try fixture.run(["store", "state"])
    #expect(ledger.status == 1 && ledger.text.contains("\nledger.rsta, the record of earlier launches, cannot be read; "), "\(ledger.text)")
    try FileManager.default.removeItem(at: fixture.folder.url(file()))
    let orphans = try fixture.run(["store", "state"])
    #expect(orphans.status == 1 && orphans.text.contains("\napplication: generation 1 is missing, "), "\(orphans.text)")
    let json = try fixture.run(["store", "--format", "json", "state"])
    let listing = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    let notes = try #require(listing["notes"] as? [String])
    #expect(json.status == 1 && json.error.isEmpty && notes.count == 2)
    #expect(notes[0].hasPrefix("application: generation 1 is missing, "), "\(notes)")
  }

  @Test("convert makes one complete archive of a store's newest state")
  func convertsAChain() throws {
    try save(1...4)
    let result = try fixture.run(["convert", "--to", "archive", "-o", "golden.rsta", "state"])
    #expect(result.status == 0 && result.error == "restoration: state: \(file()) with 3 links\n")
    #expect(try fixture.run(["apply", "-o", "applied.rsta", file(), file(1), file(2), file(3)]).status == 0)
    let (golden, applied) = try (
      Data(contentsOf: fixture.folder.url("golden.rsta")), Data(contentsOf: fixture.folder.url("applied.rsta"))
    )
    #expect(golden == applied)
  }
}
