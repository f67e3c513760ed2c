import EngineKit
import Foundation
import StateRestorationTesting
import Testing

@Suite struct TestingSupportTests {
  @Test("restart saves, releases all objects, creates them again and restores")
  func restarts() throws {
    weak var old: SampleObject?
    var application: RestorableTree? = nil
    do {
      let root = SampleObject("root", values: ["x": 1], children: [List("list", values: ["y": 2])])
      old = root
      application = RestorableTree(roots: [root])
      try application?.startFresh()
    }
    let restart = try restart(&application, header: .sample) {
      let application = RestorableTree()
      let resolver = try Resolver {
        Factory(path: "root") { _ in
          let root = SampleObject("root")
          application.roots = [root]
          return root
        }
      }
      return RestartedTree(application, resolver: resolver)
    }
    #expect(old == nil && application == nil)
    #expect((restart.tree.roots.first as? SampleObject)?.values == ["x": 1])
    let expected: ExpectedReport = ["root": .restored, "root/list": .skipped(.noFactory)]
    #expect(expected.differences(from: restart.restoration) == [])
    let wrong: ExpectedReport = ["root": .located, "other": .restored]
    #expect(
      wrong.differences(from: restart.restoration) == [
        "root: expected located, is restored: restored by path \"root\"", "root/list: not expected, is skipped-no-factory",
        "other: expected, and not in the archive",
      ])
    #expect(SizeBudget(archive: 10_000, eachNode: 1000, paths: ["root/**": 1000]).excesses(of: restart.preservation) == [])
    #expect(SizeBudget(archive: 10, eachNode: 1, paths: ["root/**": 1]).excesses(of: restart.preservation).count == 4)
    #expect(throws: NothingPreserved.self) {
      try StateRestorationTesting.restart(&application) { RestartedTree(RestorableTree(), resolver: Resolver()) }
    }
  }

  @Test("an expectation covers the application state, which may have failed, and the decision about the archive")
  func expectsApplication() throws {
    let saved = SampleDelegate()
    saved.encoding = { try $0.encode("dark", forKey: "theme") }
    let archive = try ArchiveTree(decoding: RestorableTree.saved([SampleObject("window", values: ["x": 1])], delegate: saved)).encoded()
    let failing = SampleDelegate()
    failing.decoding = { _ = try $0.decode(Int.self, forKey: "theme") }
    func differences(_ expected: ExpectedReport) throws -> [String] {
      let tree = RestorableTree(roots: [SampleObject("window")], delegate: failing)
      return try expected.differences(from: tree.restore(from: ArchiveReader(archive), with: Resolver()))
    }
    #expect(try differences(["": .failed, "window": .located]) == [])
    let unexpected = try differences(["window": .located])
    #expect(unexpected.count == 1 && unexpected[0].hasPrefix("(application): not expected, is failed: "), "\(unexpected)")
    let other = try differences(["": .restored, "window": .located])
    #expect(other.count == 1 && other[0].hasPrefix("(application): expected restored, is failed: "), "\(other)")
    failing.restoring = { _, _ in .never }
    #expect(try differences([:]).first == "the archive was refused: declined by the delegate")
  }

  @Test("a file that is no archive of a store is restored too, and tombstones and exceptions are no gaps")
  func coversFolders() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coverage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appendingPathComponent("old"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func coverage(except patterns: [String] = []) throws -> ArchiveCoverage {
      try ArchiveCoverage(ofArchivesIn: folder, except: patterns) { kept in
        #expect(kept.file == "old/41.rsta" && kept.name == .application && kept.header.bundleVersion == "41")
        let resolver = try Resolver {
          Factory(type: "List") { _ in nil }
          Tombstone("c")
        }
        return RestartedTree(RestorableTree(), resolver: resolver)
      }
    }
    #expect(throws: NoArchives.self) { try coverage() }
    let nodes = [ArchiveNode("a", type: "List"), ArchiveNode("b"), ArchiveNode("c")]
    try ArchiveTree(header: ArchiveHeader(bundleVersion: "41"), nodes: nodes).encoded().write(
      to: folder.appendingPathComponent("old/41.rsta"))
    let first = try coverage()
    #expect(first.archiveCount == 1)
    #expect(
      first.gaps == [
        "old/41.rsta: a: skipped: declined by type \"List\"; its state is carried over",
        "old/41.rsta: b: skipped: no factory, no object and no provider for it; its state is carried over; "
          + "add Factory(path: \"b\") { node in … }, or give the state to an object that is made later: register(_:at:), or restoreState(of:)",
      ])
    #expect(try coverage(except: ["b"]).gaps.count == 1 && coverage(except: ["*"]).gaps == [])
  }

  /// Calls `body` with the folder of a store whose app has a base with links.
  private func withChain(_ numbers: [Int] = [1, 2, 3], _ body: (URL, [String]) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coverage-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let store = try RestorationStore(folder: folder.appendingPathComponent("1.4").path)
    // Longer than a block, because a shorter archive is written as a whole.
    let text = String(repeating: "text ", count: 2000)
    for number in numbers {
      let nodes = [ArchiveNode("text", state: ["text": .string(text)]), ArchiveNode("\(number)", type: "Row \(number)")]
      try store.save(ArchiveTree(header: ArchiveHeader(bundleVersion: "1"), nodes: nodes).encoded())
    }
    let base = "1.4/application.0000000001"
    try body(folder, ["\(base).rsta", "\(base).link-0001.rsta", "\(base).link-0002.rsta"])
  }

  private func coverage(of folder: URL) throws -> ArchiveCoverage {
    try ArchiveCoverage(ofArchivesIn: folder, except: ["text"]) { _ in RestartedTree(RestorableTree(), resolver: Resolver()) }
  }

  @Test("a base with its links is one archive: that of the last link")
  func assemblesChains() throws {
    try withChain { folder, files in
      // The record of launches is none of the app's archives.
      try ArchiveTree(nodes: [ArchiveNode("launch")]).encoded().write(to: folder.appendingPathComponent("1.4/ledger.rsta"))
      let coverage = try coverage(of: folder)
      #expect(coverage.archiveCount == 1 && coverage.gaps.count == 1, "\(coverage.gaps)")
      #expect(coverage.gaps.first?.hasPrefix("\(files[2]): 3: skipped: ") == true, "\(coverage.gaps)")
    }
  }

  @Test("the last save of a store counts, even if an earlier link has the same content")
  func visitsTheLastSave() throws {
    try withChain([1, 2, 3, 1, 2]) { folder, files in
      let last = files[0].replacingOccurrences(of: ".rsta", with: ".link-0004.rsta")
      #expect(try Data(contentsOf: folder.appendingPathComponent(last)) == Data(contentsOf: folder.appendingPathComponent(files[1])))
      let coverage = try coverage(of: folder)
      #expect(coverage.archiveCount == 1 && coverage.gaps.first?.hasPrefix("\(last): 2: skipped: ") == true, "\(coverage.gaps)")
    }
  }

  @Test("errors name the file: a link without its base, a damaged link, a damaged base, another kind of file")
  func namesFiles() throws {
    func error(_ change: (URL, [String]) throws -> Void) throws -> String {
      var text = ""
      try withChain { folder, files in
        try change(folder, files)
        text = try #require(#expect(throws: UnreadableArchive.self) { try coverage(of: folder) }).description
      }
      return text
    }
    func damage(_ url: URL) throws {
      var bytes = try Data(contentsOf: url)
      bytes[bytes.count / 2] ^= 0xFF
      try bytes.write(to: url)
    }
    let link = try error { folder, files in try FileManager.default.removeItem(at: folder.appendingPathComponent(files[0])) }
    let missing = "1.4/application.0000000001.link-0001.rsta: the file before 1.4/application.0000000001.link-0001.rsta is missing: "
    #expect(link.hasPrefix(missing), "\(link)")
    for place in [0, 1] {
      let damaged = try error { folder, files in try damage(folder.appendingPathComponent(files[place])) }
      let name = place == 0 ? "1.4/application.0000000001.rsta" : "1.4/application.0000000001.link-0001.rsta"
      #expect(damaged.hasPrefix("\(name): ") && damaged.contains("damaged"), "\(damaged)")
    }
    let letter = try error { folder, _ in try Data("Dear diary".utf8).write(to: folder.appendingPathComponent("letter.rsta")) }
    #expect(letter.hasPrefix("letter.rsta: the file is not an archive: "), "\(letter)")
  }
}
