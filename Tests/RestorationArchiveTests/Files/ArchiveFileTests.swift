import Foundation
import ProcessKit
import RestorationArchive
import Testing

/// Files are written completely or not at all, and never over a file that must not be replaced.
@Suite struct ArchiveFileTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { folder.url(name).path }

  private func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted()
  }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
  }

  @Test("data is written unchanged, including slices", arguments: [Data(), Data([1, 2, 3]), Data([9, 1, 2, 3, 9])[1..<4]])
  func writesData(_ data: Data) throws {
    try ArchiveFile.write(data, to: path("data"), replacement: .allowed)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path("data"))) == Data(data))
  }

  @Test func writesANewFileForItsOwnerAlone() throws {
    try ArchiveFile.write([1, 2, 3], to: path("a"), replacement: .refused)
    #expect(try Data(contentsOf: folder.url("a")) == Data([1, 2, 3]))
    #expect(try mode("a") == 0o600)
    #expect(try names() == ["a"])
  }

  @Test func replacesAndKeepsThePermissions() throws {
    try Data([9]).write(to: folder.url("a"))
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path("a"))
    try ArchiveFile.write([1], to: path("a"), replacement: .allowed)
    #expect(try Data(contentsOf: folder.url("a")) == Data([1]))
    #expect(try mode("a") == 0o640)
    #expect(try names() == ["a"])
  }

  @Test func refusesToReplace() throws {
    try Data([9]).write(to: folder.url("a"))
    #expect(throws: ArchiveError.self) { try ArchiveFile.write([1], to: path("a"), replacement: .refused) }
    #expect(try Data(contentsOf: folder.url("a")) == Data([9]))
    #expect(try names() == ["a"])
  }

  @Test(
    "a file system without hard links gets a new file too, and keeps an old one", arguments: [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK]
  )
  func writesWithoutHardLinks(_ code: Int32) throws {
    try Data([1, 2]).write(to: folder.url("temporary"))
    try ArchiveFile.publish(path("temporary"), asNew: path("a")) { _, _ in code }
    #expect(try Data(contentsOf: folder.url("a")) == Data([1, 2]))
    #expect(try names() == ["a"])
    try Data([3]).write(to: folder.url("temporary"))
    let error = #expect(throws: ArchiveError.self) { try ArchiveFile.publish(path("temporary"), asNew: path("a")) { _, _ in code } }
    #expect(error?.found == "file exists")
    #expect(try Data(contentsOf: folder.url("a")) == Data([1, 2]))
    // A file that cannot be moved leaves no empty one behind.
    let absent = #expect(throws: ArchiveError.self) { try ArchiveFile.publish(path("absent"), asNew: path("b")) { _, _ in code } }
    #expect(absent?.code == .inputOutput)
    #expect(try names() == ["a", "temporary"])
  }

  @Test("a symbolic link is replaced, and its target is unchanged")
  func doesNotFollowLinks() throws {
    try Data([9]).write(to: folder.url("target"))
    try FileManager.default.createSymbolicLink(at: folder.url("link"), withDestinationURL: folder.url("target"))
    try ArchiveFile.write([1], to: path("link"), replacement: .allowed)
    #expect(try Data(contentsOf: folder.url("target")) == Data([9]))
    #expect(try Data(contentsOf: folder.url("link")) == Data([1]))
    let refused = #expect(throws: ArchiveError.self) { try ArchiveFile.write([1], to: path("link"), replacement: .refused) }
    #expect(refused?.code == .inputOutput)
  }

  @Test("no temporary file remains after a failure")
  func cleansUp() throws {
    try FileManager.default.createDirectory(at: folder.url("folder"), withIntermediateDirectories: false)
    let error = #expect(throws: ArchiveError.self) { try ArchiveFile.write([1], to: path("folder"), replacement: .allowed) }
    #expect(error?.kind == .inputOutput)
    #expect(try names() == ["folder"])
    #expect(throws: ArchiveError.self) { try ArchiveFile.write([1], to: path("absent/a"), replacement: .allowed) }
  }
}
