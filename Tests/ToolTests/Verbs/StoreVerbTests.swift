import Foundation
import ProcessKit
import Testing

@testable import StateRestoration

/// `restoration store` on intact and broken stores.
@Suite struct StoreVerbTests {
  @Test(
    "--history is of one whole store, and excludes all that changes one",
    arguments: ["state", "--scene left", "--use 1", "--format json"])
  func refusesMoreThanAHistory(_ more: String) throws {
    let fixture = try ToolFixture()
    try RestorationStore(folder: fixture.folder.url("state").path).save(ArchiveTree().encoded())
    let result = try fixture.run(["store", "state", "--history"] + more.split(separator: " ").map(String.init))
    #expect(result.status == 64 && result.error.contains("--history"), "\(result.error)")
    #expect(try fixture.run(["store", "state", "--history"]).status == 0)
  }

  private let fixture: ToolFixture

  init() throws {
    fixture = try ToolFixture()
  }

  private func fill(_ numbers: ClosedRange<Int>, _ archive: ArchiveName = .application) throws {
    let store = try RestorationStore(folder: fixture.folder.url("store").path)
    for number in numbers { try store.save(Self.archive(number), as: archive) }
  }

  private static func archive(_ number: Int) throws -> [UInt8] {
    [UInt8](try ArchiveTree(applicationState: ["number": .integer(number)]).encoded())
  }

  /// The text of a list, with only the first and the last column of each table, for tests of what happens to each file.
  private static func brief(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line -> String? in
      if line.hasPrefix("  generation ") { return nil }
      let cells = line.dropFirst(2).components(separatedBy: "  ").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
      return line.hasPrefix("  ") && cells.count > 5 ? "  \(cells[0])  \(cells[cells.count - 1])" : String(line)
    }.joined(separator: "\n")
  }

  @Test("the list is a table that people can decide from")
  func listsATable() throws {
    let store = try RestorationStore(folder: fixture.folder.url("store").path)
    for number in 1...2 {
      let header = ArchiveHeader(bundleVersion: "4\(number)", timestamp: Date(timeIntervalSinceReferenceDate: Double(number)))
      try store.save(ArchiveTree(header: header, nodes: [ArchiveNode("a", state: ["number": .integer(number)])]).encoded())
    }
    let text = try fixture.run(["store", "store"]).text
    let bytes = try Data(contentsOf: fixture.folder.url("store/application.0000000002.rsta")).count
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(
      lines == [
        "application", "generation saved by build nodes bytes links kept at a launch now",
        "2 2001-01-01T00:00:02Z 42 1 \(bytes) 0 the newest restored",
        "1 (frozen) 2001-01-01T00:00:01Z 41 1 \(bytes) 0 the last of the previous build not needed", "a launch now restores generation 2",
      ])
  }

  @Test("of two frozen files only one is the last of the previous build")
  func tellsFrozenFilesApart() throws {
    for build in ["41", "42"] {
      let store = try RestorationStore(folder: fixture.folder.url("store").path)
      try store.save(ArchiveTree(header: ArchiveHeader(bundleVersion: build), nodes: [ArchiveNode("a")]).encoded())
    }
    // As a kill leaves it between the mark and the removal of the older one.
    let files = ["application.0000000001.frozen.rsta", "application.0000000000.frozen.rsta"].map { fixture.folder.url("store/\($0)") }
    try FileManager.default.copyItem(at: files[0], to: files[1])
    let text = try fixture.run(["store", "store"]).text
    #expect(text.contains("the last of the previous build") && text.contains("the last of an earlier build"), "\(text)")
  }

  @Test("a quarantined node is marked wherever it is shown, with the begin and the end of the quarantine")
  func marksQuarantine() throws {
    let window = try RestorationPath(components: ["new\nwindow"])
    do {
      let store = try RestorationStore(folder: fixture.folder.url("store").path)
      let nodes = [ArchiveNode("new\nwindow", type: "Window"), ArchiveNode("other")]
      for number in 1...2 { _ = try store.save(ArchiveTree(applicationState: ["n": .integer(number)], nodes: nodes).encoded()) }
    }
    var ledger = LaunchLedger()
    ledger.quarantined = [
      LaunchLedger.Quarantined(archive: .application, path: window, digest: 1, builds: ["7"], goodLaunches: 9, failedRetries: 1)
    ]
    try Data(ledger.encoded()).write(to: fixture.folder.url("store/ledger.rsta"))
    let words =
      "new\\u{a}window: since build 7 died in it and in a retry; tried again after 1 good launch, by another build, or when released by --release"
    #expect(try fixture.run(["store", "store"]).text.contains("\n  quarantined: \(words)\n"))
    #expect(try fixture.run(["report", "-o", "page.html", "store"]).status == 0)
    let page = try String(contentsOf: fixture.folder.url("page.html"), encoding: .utf8)
    #expect(page.contains("\"text\": \"\(words.replacing("\\", with: "\\\\"))\""))
    #expect(page.contains("restored without 1 node, left out by launches"))
    for file in ["store", "store@-1", "store/application.0000000002.rsta"] {
      #expect(try fixture.run(["tree", file]).text.contains("─ new\\u{a}window  Window  (quarantined)\n"), "\(file)")
      #expect(try fixture.run(["info", file]).text.contains("quarantine \(words)\n"), "\(file)")
      #expect(try fixture.run(["tree", "--format", "json", file]).text.contains("\"isQuarantined\": true"))
      #expect(try fixture.run(["info", "--format", "json", file]).text.contains("\"quarantined\": [\n    \"new\\nwindow\"\n  ]"))
    }
    let json = try fixture.run(["store", "--format", "json", "store"]).text
    #expect(json.contains("\"launchesLeft\": 1") && json.contains("\"failedRetries\": 1"))
    #expect(try fixture.run(["store", "--release", "new\\u{a}window", "store"]).status == 0)
    #expect(try !fixture.run(["tree", "store"]).text.contains("quarantined"))
  }

  @Test func listsWhatALaunchWouldDo() throws {
    try fill(1...2)
    try Data("text".utf8).write(to: fixture.folder.url("store/application.0000000003.rsta"))
    let result = try fixture.run(["store", "store"])
    #expect(result.status == 1)
    #expect(
      Self.brief(result.text) == """
        application
          3  damaged: the file has 4 bytes, too few for an archive (at offset 0x0) [R-4.2-1]
          2  restored
          1  not needed
          a launch now restores generation 2

        """)
    // Listing changes nothing.
    #expect(try fixture.run(["store", "store"]).text == result.text)
    let json = try JSONSerialization.jsonObject(with: fixture.run(["store", "--format", "json", "store"]).output)
    #expect(json is [String: Any])
  }

  @Test func makesAnOlderGenerationCurrent() throws {
    try fill(1...2)
    #expect(
      try fixture.run(["store", "--use", "1", "store"]).text
        == "generation 1 was saved again as generation 3, which is now current\n")
    #expect(try fixture.run(["store", "--use", "9", "store"]).status == 1)
    #expect(try fixture.run(["store", "--use", "x", "store"]).status == 64)
    #expect(try fixture.run(["store", "store"]).text.contains("restores generation 3"))
  }

  @Test func forgets() throws {
    try fill(1...2)
    #expect(try fixture.run(["store", "--forget", "store"]).status == 0)
    #expect(try fixture.run(["store", "store"]).text == "nothing is saved here\n")
  }

  @Test("--scene lists and forgets that scene, and leaves everything else alone")
  func keepsToAScene() throws {
    try fill(1...1)
    for identifier in ["left", "right"] { try fill(1...1, #require(.scene(identifier))) }
    let left = try fixture.run(["store", "--scene", "left", "store"])
    #expect(Self.brief(left.text) == "scene left\n  2  restored\n  a launch now restores generation 2\n")
    #expect(left.status == 0)
    #expect(try fixture.run(["store", "--forget", "--scene", "left", "store"]).text == "scene left is forgotten\n")
    let rest = try fixture.run(["store", "store"]).text
    #expect(rest.contains("application\n") && rest.contains("scene right\n") && !rest.contains("scene left"))
    for options in [["--scene", "left"], ["--forget", "--scene", "left"]] {
      let absent = try fixture.run(["store"] + options + ["store"])
      #expect(absent.status == 1)
      #expect(absent.error == "restoration: store: there is no saved state of scene left\n")
    }
    #expect(try fixture.run(["store", "store"]).text == rest)
  }

  @Test("114: the list shows the scenes that the user closed; one is reopened by --accept, and removed by --decline")
  func listsClosedScenes() throws {
    let left = try #require(ArchiveName.scene("left"))
    try fill(1...1, left)
    do { try RestorationStore(folder: fixture.folder.url("store").path).close(left, with: Self.archive(2)) }
    let list = try fixture.run(["store", "store"])
    #expect(
      Self.brief(list.text) == """
        scene left
          2 (closed)  the scene was closed
          1  belongs to the closed scene
          a launch now starts fresh: the scene was closed (reopening it restores its state)

        """)
    #expect(list.status == 0 && list.text.contains("to be reopened"))
    let accepted = try fixture.run(["store", "--scene", "left", "--accept", "2", "store"])
    #expect(accepted.text == "the next launch restores generation 2\n")
    #expect(try fixture.run(["store", "store"]).text.contains("a launch now restores generation 2\n"))
    do { try RestorationStore(folder: fixture.folder.url("store").path).close(left, with: Self.archive(3)) }
    #expect(try fixture.run(["store", "--scene", "left", "--decline", "3", "store"]).status == 0)
    #expect(try fixture.run(["store", "store"]).text == "nothing is saved here\n")
  }

  @Test("91: --accept and --decline take each kept generation, and not the one that a launch restores")
  func answersForKeptGenerations() throws {
    try fill(1...3)
    let refused = try fixture.run(["store", "--accept", "3", "store"])
    let message = "restoration: store: no generation 3 of the application can be accepted or declined\n"
    #expect(refused.status == 1 && refused.error.hasPrefix(message))
    #expect(try fixture.run(["store", "--accept", "2", "store"]).text == "the next launch restores generation 2\n")
    #expect(try fixture.run(["store", "store"]).text.contains("a launch now restores generation 4\n"))
  }

  @Test("a scene with only set-aside files is listed, and can be forgotten")
  func listsWhatWasSetAside() throws {
    let left = try #require(ArchiveName.scene("left"))
    try fill(1...1, left)
    do {
      let store = try RestorationStore(folder: fixture.folder.url("store").path)
      try store.decline(#require(store.load(left).archive).generation)
    }
    let text = "scene left\n  1 (declined)  set aside: declined\n  a launch now starts fresh: nothing was saved\n"
    for options in [["--scene", "left"], []] {
      let listing = try fixture.run(["store"] + options + ["store"])
      #expect(Self.brief(listing.text) == text && listing.status == 0)
    }
    try fill(2...2)
    #expect(
      try Self.brief(fixture.run(["store", "store"]).text) == "application\n  2  restored\n  a launch now restores generation 2\n" + text)
    #expect(try fixture.run(["store", "--forget", "--scene", "left", "store"]).status == 0)
    #expect(try fixture.run(["store", "--scene", "left", "store"]).status == 1)
  }

  @Test("forgetting a scene also forgets its quarantined paths and a death to be counted against it", arguments: [1, 2])
  func forgetsWhatASceneIsBlamedFor(_ launches: Int) throws {
    let folder = fixture.folder.url("store").path
    let (left, right) = try (#require(ArchiveName.scene("left")), #require(ArchiveName.scene("right")))
    let scene = ArchiveTree(nodes: [ArchiveNode("root", children: [ArchiveNode("bad")])])
    for _ in 1...launches {
      let store = try RestorationStore(folder: folder)
      _ = try store.beginLaunch()
      for archive in [left, right] { try store.save(scene.encoded(), as: archive) }
      // The app itself is 0, its root 1, and the node below it 2.
      let saved = try #require(store.load(left).archive)
      store.launch.beginProgress(of: saved.generation, saved.content)?.note(.decoding, node: 2)
    }
    #expect(try fixture.run(["store", "--forget", "--scene", "left", "store"]).status == 0)
    let store = try RestorationStore(folder: folder)
    #expect(store.quarantinedPaths(of: left) == [])
    #expect(try store.beginLaunch() == .recover)
    #expect(store.quarantinedPaths(of: left) == [])
    guard case .restore = try store.plan(for: right).action else {
      Issue.record("\(try store.plan(for: right).reason)")
      return
    }
  }

  @Test("a damaged generation is not made current, and nothing is removed")
  func keepsToWholeGenerations() throws {
    try fill(1...2)
    var bytes = try Self.archive(1)
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: fixture.folder.url("store/application.0000000001.rsta"))
    let names = try fixture.names(in: "store")
    let result = try fixture.run(["store", "--use", "1", "store"])
    #expect(result.status == 1)
    #expect(result.error.hasPrefix("restoration: store: store: generation 1 cannot be used: "))
    #expect(try fixture.names(in: "store") == names)
    #expect(try fixture.run(["store", "store"]).text.contains("restores generation 2"))
  }

  @Test func releasesAPath() throws {
    let folder = fixture.folder.url("store").path
    for path in [["root/bad"], []] as [[String]] {
      _ = try TestProcess.run("store-probe", ["launch", folder] + path, environment: ["SWIFT_BACKTRACE": "enable=no"])
    }
    for _ in 1...2 {
      _ = try TestProcess.run("store-probe", ["launch", folder, "root/bad"], environment: ["SWIFT_BACKTRACE": "enable=no"])
    }
    _ = try TestProcess.run("store-probe", ["launch", folder], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(try fixture.run(["store", "store"]).text.contains("quarantined: root/bad"))
    #expect(try fixture.run(["store", "--release", "root/bad", "store"]).text == "root/bad is tried again at the next launch\n")
    #expect(try fixture.run(["store", "--release", "root/bad", "store"]).status == 1)
    #expect(try !fixture.run(["store", "store"]).text.contains("quarantined"))
  }

  @Test("an entry that is not a file is listed as such, without waiting or reading (Behaviours 74)")
  func listsWhatIsNoFile() throws {
    try fill(1...2)
    let path = { (number: Int) in fixture.folder.url("store/application.000000000\(number).rsta").path }
    try FileManager.default.createDirectory(atPath: path(9), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: path(8), withDestinationPath: "/dev/zero")
    try FileManager.default.createSymbolicLink(atPath: path(7), withDestinationPath: "/")
    #expect(unsafe mkfifo(path(6), 0o600) == 0)
    try Data().write(to: URL(fileURLWithPath: path(5)))
    let sparse = try FileHandle(forWritingTo: URL(fileURLWithPath: path(5)))
    try sparse.truncate(atOffset: 900_000_000_000)
    try sparse.close()
    let result = try fixture.run(["store", "store"], environment: ["SWIFT_BACKTRACE": "enable=no"], limit: 60)
    #expect(!result.wasKilled && result.status == 1)
    #expect(
      Self.brief(result.text) == """
        application
          9  not a file: a directory
          8  not a file: a symbolic link
          7  not a file: a symbolic link
          6  not a file: a pipe
          5  damaged: the file is not an archive: its first bytes are 00 00 00 00 00 00 00 00, and should be 89 52 53 54 0d 0a 1a 0a (at offset 0x0) [R-4.2-1]
          2  restored
          1  not needed
          a launch now restores generation 2

        """)
  }

  /// A counter that always exists.
  private final class Counter: Restorable {
    static let restorationType = "Counter"
    let restorationIdentifier: String? = "counter"
    var number = 0
    func encodeRestorableState(with coder: StateEncoder) throws { try coder.encode(number, forKey: "number") }
    func decodeRestorableState(with coder: StateDecoder) throws { number = try coder.decode(Int.self, forKey: "number") }
  }

  @Test("after a death by accepting an offer, the list shows what the next launch does")
  func listsWhatFollowsAnAcceptedOffer() throws {
    let folder = fixture.folder.url("store").path
    func launch(isSafe: Bool, _ body: (RestorationStore, RestorableTree, Counter) throws -> Void) throws {
      let store = try RestorationStore(folder: folder, launch: LaunchOptions(isSafe: isSafe))
      let counter = Counter()
      let application = RestorableTree(roots: [counter])
      _ = try store.restore(application, with: Resolver {}, isolation: nil)
      try body(store, application, counter)
    }
    try launch(isSafe: false) { store, application, counter in
      counter.number = 1
      try store.save(application.preserve(header: ArchiveHeader()))
      store.endLaunch()
    }
    // The store is released without an end, like that of a killed process.
    try launch(isSafe: true) { store, application, counter in
      counter.number = 2
      let offer = try #require(store.offers().first)
      _ = try store.accept(
        offer, into: application, with: Resolver {}, replacing: application.preserve(header: ArchiveHeader()), isolation: nil)
    }
    #expect(
      try Self.brief(fixture.run(["store", "store"]).text) == """
        application
          3  a copy of an accepted offer, which the next launch removes
          2 (offered)  restored
          1 (offered)  set aside: offered
          open offer: generation 1, with counter: the launch was in safe mode; --accept 1 or --decline 1 answers it
          a launch now restores generation 2
        the last launch is still running, or was killed

        """)
    try launch(isSafe: false) { _, _, counter in #expect(counter.number == 2) }
    let text = try fixture.run(["store", "store"]).text
    let why = "the launch was in safe mode; --accept 1 or --decline 1 answers it"
    let offer = "  open offer: generation 1, with counter: \(why)\n  a launch now restores generation 2\n"
    #expect(text.hasSuffix("\(offer)the last launch is still running, or was killed\n"))
    #expect(try fixture.run(["report", "-o", "page.html", "store"]).status == 0)
    let page = try String(contentsOf: fixture.folder.url("page.html"), encoding: .utf8)
    #expect(page.contains("\"application: open offer: generation 1, with counter: \(why) (`restoration store`)\""))
    #expect(page.contains("\"the last launch is still running"))
  }

  @Test("what a launch leaves out is counted only if the generation has it, also when an offer is accepted")
  func countsWhatIsLeftOut() throws {
    let folder = fixture.folder.url("store")
    do {
      let store = try RestorationStore(folder: folder.path)
      _ = try store.save(ArchiveTree(nodes: [ArchiveNode("a"), ArchiveNode("b")]).encoded())
      _ = try store.save(ArchiveTree(nodes: [ArchiveNode("a", state: ["n": 1])]).encoded())
    }
    let quarantined: ArchiveDictionary = ["archive": "application", "path": "b", "builds": [""], "goodLaunches": 0, "failedRetries": 0]
    let ledger = ArchiveTree(applicationState: ["hasLaunched": true, "quarantined": [.dictionary(quarantined)]])
    try Data(ledger.encoded()).write(to: folder.appendingPathComponent("ledger.rsta"))
    #expect(try fixture.run(["store", "store"]).text.contains("  a launch now restores generation 2\n"))
    let mistyped = try fixture.run(["store", "--accept", "1", "--without", "b/mistyped", "store"])
    #expect(mistyped.status == 1 && mistyped.text.isEmpty, "\(mistyped.text)")
    #expect(mistyped.error.contains(": generation 1 has nothing at b/mistyped, so nothing was accepted\n"), "\(mistyped.error)")
    let accepted = try fixture.run(["store", "--accept", "1", "--without", "a", "store"])
    #expect(accepted.text == "the next launch restores generation 1, without 2 paths\n", "\(accepted.text)\(accepted.error)")
    let listed = try fixture.run(["store", "store"]).text
    #expect(listed.contains("  a launch now restores generation 3, without 2 paths that killed the app\n"), "\(listed)")
  }

  @Test("a folder with other files and none of a store is reported as such, and is unchanged")
  func tellsWhatIsNoStoreButAFolder() throws {
    try FileManager.default.createDirectory(at: fixture.folder.url("other"), withIntermediateDirectories: false)
    #expect(try fixture.run(["store", "other"]).text == "nothing is saved here\n")
    try Data("text".utf8).write(to: fixture.folder.url("other/letter.txt"))
    for arguments in [["store", "other"], ["store", "--format", "json", "other"], ["store", "--forget", "other"]] {
      let result = try fixture.run(arguments)
      #expect(result.status == 1 && result.text.isEmpty != arguments.contains("json"))
      #expect(result.error == "restoration: other: is not a store: the folder contains no store files\n")
    }
    #expect(try fixture.names(in: "other") == ["letter.txt"])
  }

  @Test func tellsWhatIsNoStore() throws {
    #expect(try fixture.run(["store", "absent"]).status == 74)
    #expect(try fixture.run(["store", "letter.txt"]).error.hasPrefix("restoration: letter.txt: is not a directory\n"))
    #expect(try fixture.run(["store", "--use", "1", "--forget", "store"]).status == 64)
  }
}
