import Foundation
import RestorationArchive
import RestorationInspection
import Testing

@testable import StateRestoration

/// The list of what a store holds.
@Suite struct StoreListingTests {
  /// Calls `body` with the folder of a store whose newest generation has two links.
  private func withLinks(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "listing-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      let store = try RestorationStore(folder: folder.path)
      // Longer than a block, because a shorter archive is written as a whole.
      let text = String(repeating: "text ", count: 2000)
      for number in 1...3 {
        let nodes = (0..<4).map { index in
          ArchiveNode("\(index)", state: ["text": .string(text), "step": .string("step \(index == 2 ? number : 0)")])
        }
        _ = try store.save(ArchiveTree(header: ArchiveHeader(bundleVersion: "1"), nodes: [ArchiveNode("root", children: nodes)]).encoded())
      }
    }
    try body(folder)
  }

  private func listing(_ folder: URL) throws -> StoreListing {
    try StoreListing(RestorationStore(folder: folder.path, access: .reading))
  }

  @Test("names the links of a generation, and those that cannot be applied")
  func countsLinks() throws {
    try withLinks { folder in
      let sound = try listing(folder)
      let file = try #require(sound.archives.first?.files.first?.saved)
      #expect(file.linkCount == 2 && file.lostLinkCount == 0 && file.nodeCount == 5)
      #expect(sound.isSound)
      #expect(sound.json.contains("\"linkCount\": 2") && !sound.json.contains("lostLinkCount"))

      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.contains(".link-") }.sorted()
      try Data("damaged".utf8).write(to: folder.appending(path: try #require(names.last)))
      let damaged = try listing(folder)
      let left = try #require(damaged.archives.first?.files.first?.saved)
      #expect(left.linkCount == 2 && left.lostLinkCount == 1)
      #expect(!damaged.isSound)
      #expect(damaged.text().contains("2, 1 lost"))
      #expect(damaged.json.contains("\"lostLinkCount\": 1"))
    }
  }

  @Test("a report of the store shows each save: the base alone, and with one link after the other")
  func reportsLinks() throws {
    try withLinks { folder in
      let items = try listing(folder).reportItems(folder: folder.path)
      #expect(items.map(\.name) == ["generation 1, save 1", "generation 1, save 2", "generation 1, save 3"])
      #expect(items.map(\.hasFile) == [false, false, true] && items.allSatisfy { $0.group == "application" })
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("application.0") }
      #expect(items.map(\.address) == ["/application.0000000001.rsta", "/application.0000000001.link-0001.rsta", "@1"])
      #expect(names.count == 3 && items.compactMap(\.writtenByteCount).count == 3)
      #expect(try items[1].writtenByteCount == FileByteSource(path: folder.path + (items[1].address ?? "")).byteCount())
      for (place, item) in items.enumerated() {
        var page = ""
        #expect(try ArchiveReport(title: "store", [item]).write { (text: String) throws(ArchiveError) in page += text })
        for step in 1...3 { #expect(page.contains("\"step \(step)\"") == (step == place + 1), "\(place) \(step)") }
      }
    }
  }

  @Test("names links whose archive is missing, which cost something only if nothing newer was saved")
  func namesOrphanedLinks() throws {
    try withLinks { folder in
      try FileManager.default.removeItem(at: folder.appending(path: "application.0000000001.rsta"))
      let lost = try listing(folder)
      let line = "application: generation 1 is missing, so its 2 links cannot be used; the next save removes them"
      #expect(lost.notes == [line] && !lost.isSound)
      #expect(lost.text() == "nothing is saved here\n\(line)\n")
      let newer = ArchiveTree(nodes: [ArchiveNode("a")])
      try newer.encoded().write(to: folder.appending(path: "application.0000000002.rsta"))
      try FileManager.default.removeItem(at: folder.appending(path: "application.0000000001.link-0001.rsta"))
      let left = try listing(folder)
      #expect(left.notes == ["application: generation 1 is missing, so its link cannot be used; later saves of the archive remove it"])
      #expect(left.isSound)
      let other = try StoreListing(RestorationStore(folder: folder.path, access: .reading), of: .scene("left"))
      #expect(other.notes.isEmpty)
    }
  }

  @Test("an address leads to what a launch would read: not to a file of a save that is not finished")
  func passesOverUnfinishedSaves() throws {
    try withLinks { folder in
      let scene = try #require(ArchiveName.scene("left"))
      let files = [GenerationFile(.application, 2), GenerationFile(scene, 3)]
      try ArchiveTree().encoded().write(to: folder.appending(path: files[0].fileName))
      #expect(try GenerationAddress("\(folder.path)@0")?.file().hasSuffix("application.0000000002.rsta") == true)
      try Data(SaveGroup(files: files).encoded()).write(to: folder.appending(path: SaveGroup.fileName))
      #expect(try GenerationAddress("\(folder.path)@0")?.file().contains("application.0000000001.") == true)
    }
  }

  @Test("lists sessions with their scenes, open scenes and closed ones, as text and as JSON, without a value")
  func listsSessions() throws {
    try withLinks { folder in
      let scenes = try ["a", "b"].map { try #require(ArchiveName.scene($0)) }
      do {
        let store = try RestorationStore(folder: folder.path)
        try store.beginLaunch()
        for scene in scenes {
          try store.save(ArchiveTree(nodes: [ArchiveNode("window", state: ["secret": 7])]).encoded(), as: scene)
          store.noteScene(scene, isOpen: true)
        }
        store.recordSession(savedAt: Date(timeIntervalSinceReferenceDate: 0), by: "41")
        let text = String(repeating: "later ", count: 2000)
        for number in 1...3 { try store.save(ArchiveTree(applicationState: ["text": .string(text + "\(number)")]).encoded()) }
        try store.close(scenes[1], with: [UInt8](ArchiveTree(nodes: [ArchiveNode("window")]).encoded()))
        store.endLaunch()
      }
      let listing = try listing(folder)
      #expect(listing.text().contains("an earlier session saved 2001-01-01T00:00:00Z by build 41: application, scene a, scene b\n"))
      #expect(!listing.json.contains("secret"))
      let json = try #require(JSONSerialization.jsonObject(with: Data(listing.json.utf8)) as? [String: Any])
      func names(_ states: Any?) -> [String] { (states as? [[String: Any]])?.compactMap { $0["archive"] as? String } ?? [] }
      #expect(json["openScenes"] as? [String] == ["a"] && names(json["closedScenes"]) == ["b"])
      #expect((json["sessions"] as? [[String: Any]])?.map { names($0["states"]) } == [["", "a", "b"]])
      let single = try StoreListing(RestorationStore(folder: folder.path, access: .reading), of: scenes[0])
      #expect(!single.json.contains("sessions") && !single.json.contains("openScenes"))
    }
  }

  @Test("names a record of launches that cannot be read")
  func namesADamagedLedger() throws {
    try withLinks { folder in
      let path = folder.appending(path: LaunchLedger.fileName)
      try Data(LaunchLedger().encoded()).write(to: path)
      #expect(try listing(folder).isSound && listing(folder).notes.isEmpty)
      var bytes = try Data(contentsOf: path)
      bytes[bytes.count / 2] ^= 0xFF
      try bytes.write(to: path)
      // A launch cannot read it either.
      #expect(LaunchLedger([UInt8](bytes)) == nil)
      let damaged = try listing(folder)
      let cost = "earlier crashes are ignored, and open offers show no reason"
      let line = "ledger.rsta, the record of earlier launches, cannot be read; \(cost): "
      #expect(damaged.notes.count == 1 && damaged.notes[0].hasPrefix(line) && damaged.notes[0].contains("damaged"), "\(damaged.notes)")
      #expect(!damaged.isSound && damaged.text().hasSuffix("\n\(damaged.notes[0])\n"))
      try FileManager.default.removeItem(at: path)
      try FileManager.default.createDirectory(at: path, withIntermediateDirectories: false)
      #expect(try listing(folder).notes == ["\(line)opening ledger.rsta in \(folder.lastPathComponent): is a directory"])
    }
  }
}
