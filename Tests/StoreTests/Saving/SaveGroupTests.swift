import EngineKit
import Foundation
import ProcessKit
import Testing

@testable import StateRestoration

/// The record of a save of several archives, and what a process that finds it decides.
@Suite struct SaveGroupTests {
  private static func scene(_ name: String) throws -> ArchiveName { try #require(ArchiveName.scene(name)) }

  private static func group() throws -> SaveGroup {
    SaveGroup(
      files: [
        GenerationFile(.application, 7, 3), GenerationFile(try scene("a b"), 12),
      ], removals: [try scene("c"): 9], due: [try scene("d"): 4])
  }

  // MARK: Bytes

  @Test("a record is read as it was written")
  func roundTrips() throws {
    for group in [try Self.group(), SaveGroup()] { #expect(SaveGroup(try group.encoded()) == group) }
  }

  @Test("a damaged record is none, whatever is damaged (Behaviours 74)")
  func damagedBytes() throws {
    let bytes = try Self.group().encoded()
    for count in 0..<bytes.count { #expect(SaveGroup(Array(bytes.prefix(count))) == nil, "\(count) bytes") }
    for place in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << bit
        // Some bytes are a copy that nothing depends on.
        #expect(try SaveGroup(damaged).map { try $0 == Self.group() } ?? true, "byte \(place), bit \(bit)")
      }
    }
  }

  @Test(
    "an archive that is no record is none",
    arguments: [
      [:], ["files": [], "removals": []], ["files": [], "removals": [], "due": [], "more": []], ["files": 1, "removals": [], "due": []],
      ["files": [1], "removals": [], "due": []], ["files": ["lock"], "removals": [], "due": []],
      ["files": ["../application.0000000001.rsta"], "removals": [], "due": []],
      ["files": ["application.0000000001.offered.rsta"], "removals": [], "due": []],
      ["files": ["application.0000000001.rsta", "application.0000000002.rsta"], "removals": [], "due": []],
      ["files": ["application.18446744073709551615.rsta"], "removals": [], "due": []],
      ["files": [], "removals": ["application.0000000001.link-0001.rsta"], "due": []],
    ] as [ArchiveDictionary])
  func otherArchives(_ state: ArchiveDictionary) throws {
    #expect(SaveGroup([UInt8](try ArchiveTree(applicationState: state).encoded())) == nil)
  }

  // MARK: Decisions

  /// Decides about a save of `application.0000000007.link-0003` and `scene-a.0000000012` that removes scene c up to 9.
  private func decided(_ names: [String]) throws -> (due: [ArchiveName: UInt64], takenBack: [String]) {
    let files = [
      GenerationFile(.application, 7, 3),
      GenerationFile(try Self.scene("a"), 12),
    ]
    let group = SaveGroup(files: files, removals: [try Self.scene("c"): 9], due: [try Self.scene("d"): 4])
    let (left, takenBack) = group.decided(among: GenerationCatalog(names: names))
    #expect(left.files.isEmpty && left.removals.isEmpty)
    return (left.due, takenBack.map(\.fileName))
  }

  private static let (base, link, whole) = (
    "application.0000000007.rsta", "application.0000000007.link-0003.rsta", "scene-a.0000000012.rsta"
  )

  @Test("a save is complete if all its files exist, damaged or marked ones too; one that is missing takes the others back")
  func decisions() throws {
    let (done, undone) = (
      [try Self.scene("c"): 9, try Self.scene("d"): 4] as [ArchiveName: UInt64], [try Self.scene("d"): 4] as [ArchiveName: UInt64]
    )
    #expect(try decided([Self.base, Self.link, Self.whole]) == (done, []))
    #expect(try decided([Self.base, Self.link, "scene-a.0000000012.damaged.rsta"]) == (done, []))
    #expect(try decided([Self.base, Self.whole]) == (undone, [Self.whole]))
    #expect(try decided([Self.base, Self.link]) == (undone, [Self.link]))
    #expect(try decided([Self.base]) == (undone, []))
  }

  @Test("a file counts no more once its archive has a newer one")
  func newerFiles() throws {
    let undone = [try Self.scene("d"): 4] as [ArchiveName: UInt64]
    #expect(try decided([Self.base, "application.0000000007.link-0004.rsta", Self.whole]).takenBack == [])
    #expect(try decided([Self.base, Self.link, "scene-a.0000000013.rsta"]).takenBack == [])
    // A newer file is not taken back.
    #expect(try decided([Self.base, Self.whole, "scene-a.0000000013.rsta"]) == (undone, []))
  }

  @Test("listed are the files after the decision: neither what is taken back nor what is to be removed")
  func listing() throws {
    let group = SaveGroup(
      files: [
        GenerationFile(.application, 8),
        GenerationFile(try Self.scene("a"), 9),
      ],
      removals: [try Self.scene("c"): 5], due: [try Self.scene("d"): 4])
    let old = [Self.base, "scene-a.0000000006.rsta", "scene-c.0000000005.rsta"]
    let due = ["scene-d.0000000003.rsta", "scene-d.0000000004.link-0001.rsta"]
    let catalog = GenerationCatalog(names: old + due + ["application.0000000008.rsta", "scene-d.0000000010.rsta"]).after(group)
    #expect(Set(catalog.generations.map(\.fileName)) == Set(old + ["scene-d.0000000010.rsta"]) && catalog.links.isEmpty)
    let complete = GenerationCatalog(names: old + ["application.0000000008.rsta", "scene-a.0000000009.rsta"]).after(group)
    #expect(complete.generations(of: try Self.scene("c")).isEmpty && complete.current(of: .application)?.number == 8)
  }

  // MARK: In the store

  private func store(_ system: FaultySystem) throws -> RestorationStore { try GroupFaultTests.store(system) }

  @Test("something else with the name of the record is set aside, and nothing of the store is lost")
  func foreignRecord() throws {
    let system = FaultySystem(SimulatedDisk())
    #expect(try GroupFaultTests.save(store(system), ["a", "b"], at: 1))
    let disk = system.disk.afterProcessDeath()
    let file = try FaultySystem(disk).open("/store/\(SaveGroup.fileName)", .create)
    _ = try FaultySystem(disk).write([1, 2, 3], to: file, at: 0)
    let store = try store(FaultySystem(disk))
    #expect(try GroupFaultTests.Session(store) == GroupFaultTests.Session(["app", "a", "b"], at: 1, tabs: ["x", "y"]))
    #expect(disk.names.contains("group.foreign1") && !disk.names.contains(SaveGroup.fileName))
  }

  @Test("a folder with the name of a closed scene does not make half of a save count as whole")
  func foreignNewerName() throws {
    let temporary = try TemporaryFolder()
    let scene = try Self.scene("a")
    do {
      let store = try RestorationStore(folder: temporary.root.path)
      try store.save(SampleArchive.bytes(1))
      try store.save(SampleArchive.bytes(2), as: scene)
      store.endLaunch()
    }
    try FileManager.default.createDirectory(
      at: temporary.url(Generation(scene, 99, .closed).fileName), withIntermediateDirectories: false)
    // Of a save of two archives, the first file is there.
    let half = Generation(.application, 12)
    try Data(SampleArchive.bytes(3)).write(to: temporary.url(half.fileName))
    let files = [(half.archive, half.number), (scene, 13)].map { GenerationFile($0.0, $0.1) }
    try Data(SaveGroup(files: files, removals: [:], due: [:]).encoded()).write(to: temporary.url(SaveGroup.fileName))
    let store = try RestorationStore(folder: temporary.root.path)
    #expect(try store.load().number == 1)
    try store.save(SampleArchive.bytes(4), as: scene)
    #expect(try store.load().number == 1 && store.load(scene).number == 4)
    #expect(!FileManager.default.fileExists(atPath: temporary.url(half.fileName).path))
  }

  @Test(
    "if a save of several archives fails twice, what depends on each other stays as it was, and the rest is saved by itself",
    arguments: [false, true], [false, true])
  func independentParts(_ moves: Bool, isWhole: Bool) throws {
    let system = FaultySystem(SimulatedDisk())
    let store = try store(system)
    let names: [ArchiveName] = [.application, try Self.scene("a"), try Self.scene("b")]
    let applications = try names.map { try Windows($0.fileName) }
    func post() throws -> UInt64 {
      store.mailboxes.post(try zip(names, applications).map { ($0, try #require(try $1.mail(isWhole: isWhole))) })
    }
    for _ in 1...2 {
      for windows in applications { windows.window.number += 1 }
      _ = try post()
      store.write(.application)
    }
    for windows in applications { windows.window.number += 1 }
    if moves {
      applications[2].window.children.append(applications[1].window.children.removeLast())
    }
    system.unreadablePrefix = "writing-scene-a"
    let number = try post()
    store.writeWaiting()
    func outcome(_ place: Int) -> SaveOutcome? { try? store.mailboxes.result(of: number, names[place])?.get() }
    #expect(outcome(0) == .saved && outcome(1) == nil && outcome(2) == (moves ? nil : .saved))
    #expect(
      try names.map { try store.load($0).archive?.reader.decoder(at: "window").decode(Int.self, forKey: "number") } == [
        3, 2, moves ? 2 : 3,
      ])
    #expect(!system.disk.names.contains(SaveGroup.fileName))
    // The next attempt saves everything.
    system.unreadablePrefix = nil
    store.writeWaiting()
    #expect(try names.map { try store.load($0).archive?.reader.decoder(at: "window").decode(Int.self, forKey: "number") } == [3, 3, 3])
    #expect(try store.load(names[2]).archive?.reader.paths().count == (moves ? 4 : 3))
  }

  /// An app or a scene with a window of two tabs, which captures what has changed.
  private final class Windows {
    final class Item: Restorable {
      static let restorationType = "Item"
      static let tracksChanges = true
      let restorationIdentifier: String?
      @Restored var number = 0
      @RestoredChildren var children: [Item] = []
      var restorationChildren: [any Restorable] { children }

      init(_ identifier: String) { restorationIdentifier = identifier }
    }

    let window = Item("window")
    let application: RestorableTree

    init(_ name: String) throws {
      window.children = [Item("\(name)-1"), Item("\(name)-2")]
      application = RestorableTree(roots: [window])
      try application.startFresh()
    }

    func mail(isWhole: Bool = false) throws -> Mail? {
      let options = PreservationOptions(encodesOnlyChanges: !isWhole)
      return try application.preserve(header: ArchiveHeader(bundleVersion: "1"), options: options).mail(at: nil)
    }
  }

  @Test("a removal that fails is tried again by each save and launch; meanwhile the scene is not listed (Behaviours 103)")
  func stubbornRemoval() throws {
    let system = FaultySystem(SimulatedDisk())
    let store = try store(system)
    let scene = try Self.scene("c")
    #expect(try GroupFaultTests.save(store, ["a", "c"], at: 1))
    system.stubbornPrefix = "scene-c"
    #expect(try !GroupFaultTests.save(store, ["a"], at: 2, closing: "c"))
    #expect(try store.archives().count == 2 && !store.archives().contains(scene))
    // A launch does not list it either, nor does a launch that cannot remove it.
    let next = FaultySystem(system.disk.afterProcessDeath())
    next.stubbornPrefix = "scene-c"
    let later = try self.store(next)
    try later.beginLaunch()
    #expect(try !later.archives().contains(scene) && next.disk.names.contains { $0.hasPrefix("scene-c") })
    // The scene is opened again under its name, and the old removal is still to be done.
    later.noteScene(scene, isOpen: true)
    #expect(try GroupFaultTests.save(later, ["c"], at: 3))
    next.stubbornPrefix = nil
    #expect(try GroupFaultTests.save(later, ["a"], at: 4))
    #expect(next.disk.names.filter { $0.hasPrefix("scene-c") }.count == 1 && !next.disk.names.contains(SaveGroup.fileName))
    #expect(try later.load(scene).archive?.reader.application().decoder().decode(Int.self, forKey: "moment") == 3)
    #expect(try later.openScenes().contains(scene), "its record is not that of the closed one")
  }

  @Test("a scene that is closed recoverably gets no number that a failed save has named")
  func numbersOfClosedScenes() throws {
    let system = FaultySystem(SimulatedDisk())
    let store = try store(system)
    #expect(try GroupFaultTests.save(store, ["a", "b"], at: 1))
    system.unreadablePrefix = "writing-scene-"
    let scenes = try [Self.scene("a"), Self.scene("b")]
    store.mailboxes.post(try scenes.map { ($0, try GroupFaultTests.content($0, at: 2, z: "c")) })
    store.write(scenes[0])
    system.unreadablePrefix = nil
    let named = store.writer.withLock { $0.lastNumber }
    let next = try #require(store.reader.catalog().nextNumber)
    #expect(named >= next, "the numbers are free on the disk")
    try store.close(Self.scene("b"), with: SampleArchive.bytes(3))
    #expect(try #require(store.closedStates().first).generation.number > named)
  }
}
