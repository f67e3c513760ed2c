import Foundation
import ProcessKit
import StateRestoration
import Testing

/// `restoration store` on stores good and bad.
@Suite struct StoreVerbTests {
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

  @Test func listsWhatALaunchWouldDo() throws {
    try fill(1...2)
    try Data("text".utf8).write(to: fixture.folder.url("store/application.0000000003.rsta"))
    let result = try fixture.run(["store", "store"])
    #expect(result.status == 1)
    #expect(
      result.text == """
        application
          3  damaged: file: expected at least 8 bytes, found 4 (at offset 0x0) [R-4.2-1]
          2  taken
          1  not needed
          a launch now restores generation 2

        """)
    // Looking changes nothing.
    #expect(try fixture.run(["store", "store"]).text == result.text)
    let json = try JSONSerialization.jsonObject(with: fixture.run(["store", "--format", "json", "store"]).output)
    #expect(json is [String: Any])
  }

  @Test func makesAnOlderGenerationCurrent() throws {
    try fill(1...2)
    #expect(try fixture.run(["store", "--use", "1", "store"]).text == "generation 1 is current again, as 3\n")
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
    #expect(left.text == "scene left\n  2  taken\n  a launch now restores generation 2\n")
    #expect(left.status == 0)
    #expect(try fixture.run(["store", "--forget", "--scene", "left", "store"]).text == "scene left is forgotten\n")
    let rest = try fixture.run(["store", "store"]).text
    #expect(rest.contains("application\n") && rest.contains("scene right\n") && !rest.contains("scene left"))
    for options in [["--scene", "left"], ["--forget", "--scene", "left"]] {
      let absent = try fixture.run(["store"] + options + ["store"])
      #expect(absent.status == 1)
      #expect(absent.error == "restoration: store: nothing is saved of scene left\n")
    }
    #expect(try fixture.run(["store", "store"]).text == rest)
  }

  @Test("a scene of which only files that were set aside are left is listed, and can be forgotten")
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
      #expect(listing.text == text && listing.status == 0)
    }
    try fill(2...2)
    #expect(try fixture.run(["store", "store"]).text == "application\n  2  taken\n  a launch now restores generation 2\n" + text)
    #expect(try fixture.run(["store", "--forget", "--scene", "left", "store"]).status == 0)
    #expect(try fixture.run(["store", "--scene", "left", "store"]).status == 1)
  }

  @Test("a scene is forgotten with the paths that were left out of it, and with a death that it was to be blamed for", arguments: [1, 2])
  func forgetsWhatASceneIsBlamedFor(_ launches: Int) throws {
    let folder = fixture.folder.url("store").path
    let (left, right) = try (#require(ArchiveName.scene("left")), #require(ArchiveName.scene("right")))
    let scene = ArchiveTree(nodes: [ArchiveNode("root", children: [ArchiveNode("bad")])])
    for _ in 1...launches {
      let store = try RestorationStore(folder: folder)
      _ = try store.beginLaunch()
      for archive in [left, right] { try store.save(scene.encoded(), as: archive) }
      try store.observer(for: #require(store.load(left).archive)).restorationWillCall(.decoding, path: "root/bad")
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

  @Test("a damaged generation is not made current, and nothing is removed for it")
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
    _ = try TestProcess.run("store-probe", ["launch", folder, "root/bad"], environment: ["SWIFT_BACKTRACE": "enable=no"])
    _ = try TestProcess.run("store-probe", ["launch", folder], environment: ["SWIFT_BACKTRACE": "enable=no"])
    #expect(try fixture.run(["store", "store"]).text.contains("left out: root/bad"))
    #expect(try fixture.run(["store", "--release", "root/bad", "store"]).text == "root/bad is restored again\n")
    #expect(try fixture.run(["store", "--release", "root/bad", "store"]).status == 1)
    #expect(try !fixture.run(["store", "store"]).text.contains("left out"))
  }

  @Test func tellsWhatIsNoStore() throws {
    #expect(try fixture.run(["store", "absent"]).status == 74)
    #expect(try fixture.run(["store", "letter.txt"]).error == "restoration: letter.txt: is not a directory\n")
    #expect(try fixture.run(["store", "--use", "1", "--forget", "store"]).status == 64)
  }
}
