import EngineKit
import FoundationEssentials
import StateRestorationTesting
import Testing

@Suite struct TestingSupportTests {
  @Test("restart saves, releases all objects, creates them again and restores")
  func restarts() throws {
    weak var old: SampleObject?
    var application: RestorableApplication? = nil
    do {
      let root = SampleObject("root", values: ["x": 1], children: [List("list", values: ["y": 2])])
      old = root
      application = RestorableApplication(roots: [root])
      try application?.startFresh()
    }
    let restart = try restart(&application, header: .sample) {
      let application = RestorableApplication()
      let resolver = try Resolver {
        Factory(path: "root") { _ in
          let root = SampleObject("root")
          application.roots = [root]
          return root
        }
      }
      return RestartedApplication(application, resolver: resolver)
    }
    #expect(old == nil && application == nil)
    #expect((restart.application.roots.first as? SampleObject)?.values == ["x": 1])
    let expected: ExpectedReport = ["root": .restored, "root/list": .skipped(.noFactory)]
    #expect(expected.differences(from: restart.restoration) == [])
    let wrong: ExpectedReport = ["root": .located, "other": .restored]
    #expect(
      wrong.differences(from: restart.restoration) == [
        "root: expected located, is restored: restored by path \"root\"", "root/list: not expected, is skipped-no-factory",
        "other: expected, and not in the archive",
      ])
    #expect(SizeBudget(total: 10_000, each: 1000, paths: ["root/**": 1000]).excesses(of: restart.preservation) == [])
    #expect(SizeBudget(total: 10, each: 1, paths: ["root/**": 1]).excesses(of: restart.preservation).count == 4)
    #expect(throws: NothingPreserved.self) {
      try StateRestorationTesting.restart(&application) { RestartedApplication(RestorableApplication(), resolver: Resolver()) }
    }
  }

  @Test("the current resolver covers the archives of older builds")
  func coversFolders() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("coverage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder.appendingPathComponent("old"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(throws: NoArchives.self) { try ArchiveCoverage(ofFolder: folder, with: Resolver()) }
    try ArchiveTree(nodes: [ArchiveNode("a", type: "List"), ArchiveNode("b"), ArchiveNode("c")]).encoded().write(
      to: folder.appendingPathComponent("old/41.rsta"))
    let resolver = try Resolver {
      Factory(type: "List") { _ in nil }
      Tombstone("c")
    }
    let coverage = try ArchiveCoverage(ofFolder: folder, with: resolver)
    #expect(coverage.archiveCount == 1)
    #expect(
      coverage.gaps == [
        "old/41.rsta: b: skipped: no factory, no object and no provider for it; add Factory(path: \"b\") { node in … }"
      ])
    #expect(try ArchiveCoverage(ofFolder: folder, with: resolver, provided: ["b"]).gaps == [])
  }
}
