import EngineKit
import Foundation
import SlowReader
import Testing

@testable import StateRestoration

/// Stores that a release has written are opened by every later one, with all that is in them (Behaviours 10).
///
/// The folders are in `Tests/ReleasedStores`. A release adds one (`RELEASE=v1.1 swift test --filter ReleasedStoreTests`);
/// none is ever changed.
@Suite struct ReleasedStoreTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "ReleasedStores")

  /// The releases, with a hash of the names and bytes of all files.
  static let released: [(release: String, hash: UInt64)] = [("v1.0", 14_810_365_506_737_149_904)]

  @Test("10: the store of a release is unchanged, and has all that it had", arguments: released)
  func opensStore(of release: String, hash: UInt64) throws {
    let files = try Self.files(of: release)
    #expect(SlowXXH64.hash(files.flatMap { Array("\($0.name) \($0.bytes.count)\n".utf8) + $0.bytes }) == hash)
    try Self.check(SimulatedDisk(files: files))
  }

  @Test("10: what this version writes has the same in it")
  func writesStore() throws {
    let disk = try Self.makeStore()
    if let release = ProcessInfo.processInfo.environment["RELEASE"] { try Self.add(disk, as: release) }
    try Self.check(disk)
  }

  // MARK: The store

  /// Makes a store with links, a node that is left out, state that was not restored, a closed scene, and sessions.
  private static func makeStore() throws -> SimulatedDisk {
    var app = try SimulatedApp(SimulatedDisk(), savesChanges: true)
    for (scene, number) in [("left", 1), ("right", 2), ("closed", 3)] {
      try app.launch(scene)
      for path in SimulatedScene.paths { app.scenes[scene]?.edit(path, number) }
      try app.save(scene)
    }
    app.runUntilStable()
    try app.closeRecoverably("closed")
    app.scenes["left"]?.edit("root/a", 10)
    try app.save("left")
    app.scenes["left"]?.edit("root/b", 11)
    try app.save("left")

    app = try SimulatedApp(app.end(), savesChanges: true)
    app.plan = (SimulatedApp.Place(scene: "left", phase: "decode", path: "root/b"), .trap(onRestoringThread: true))
    _ = try? app.launch("left")

    app = try SimulatedApp(#require(app.remains))
    try app.launch("left")
    // As an app does at its launch.
    app.store.recordSession(savedAt: Date(timeIntervalSinceReferenceDate: 0), by: "1")
    app.scenes["left"]?.edit("root/a", 30)
    try app.save("left")
    try app.launch("right", isNotNow: true)
    app.scenes["right"]?.edit("root/a", 20)
    try app.save("right")
    app.runUntilStable()
    return app.end()
  }

  /// Checks what the app finds in the store.
  private static func check(_ disk: SimulatedDisk) throws {
    let app = try SimulatedApp(disk)
    let launch = try app.launch("left")
    #expect(app.scenes["left"]?.values == ["root": 1, "root/a": 30, "root/b": 0, "root/c": 1])
    #expect(launch.report?.why("root/b").hasPrefix("left out: restoring it, or a node above it, ended the process before") == true)
    try app.launch("right")
    #expect(app.scenes["right"]?.values == ["root": 0, "root/a": 20, "root/b": 0])
    // What was not restored is an offer.
    let offer = try #require(app.store.offers(of: SimulatedApp.name("right")).first)
    #expect(offer.reason == .notNow)
    let offered = try ArchiveTree(decoding: app.store.contents(of: offer))
    #expect(offered.nodes.first?.state == ["number": 2] && offered.nodes.first?.children.count == 3)
    #expect(try app.store.openScenes().compactMap(\.scene) == ["left", "right"])
    let closed = try app.store.closedStates(at: nil)
    #expect(closed.map(\.archive.scene) == ["closed"] && closed.first?.nodeCount == 4)
    // The session before has the links.
    let session = try #require(app.store.earlierSessions().first?.states.first { $0.archive.scene == "left" })
    let left = try ArchiveTree(decoding: app.store.contents(of: session)).nodes.first?.children
    #expect(session.linkCount == 2 && left?.map(\.state) == [["number": 10], ["number": 11], ["number": 1]])
    #expect(app.store.launches().count == 2)
    // What was left out waits: it comes back when it is released.
    #expect(try app.store.release("root/b", of: SimulatedApp.name("left")))
    let next = try SimulatedApp(app.end())
    try next.launch("left")
    #expect(next.scenes["left"]?.values["root/b"] == 11)
  }

  // MARK: Files

  private static func files(of release: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(path: release)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      (name, [UInt8](try Data(contentsOf: folder.appending(path: name))))
    }
  }

  private static func add(_ disk: SimulatedDisk, as release: String) throws {
    let folder = folder.appending(path: release)
    // An existing one is never changed.
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    for name in disk.names { try Data(disk.content(of: name) ?? []).write(to: folder.appending(path: name)) }
  }
}
