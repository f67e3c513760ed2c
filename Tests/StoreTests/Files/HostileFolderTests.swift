import Foundation
import ProcessKit
import RestorationArchive
import StateRestoration
import Testing

/// A foreign entry in the folder of a store affects at most itself (Behaviours 74).
///
/// Operations that could trap or hang run in a separate process, which is killed after a time limit.
@Suite struct HostileFolderTests {
  private let temporary: TemporaryFolder

  init() throws {
    temporary = try TemporaryFolder()
  }

  /// Every name that the store uses, in the place where the store looks for it.
  private static let names = [
    "application.0000000002.rsta", "application.0000000009.rsta", "application.0000000009.pinned.rsta",
    "application.0000000009.damaged.rsta", "application.18446744073709551615.rsta", "application.18446744073709551615.damaged.rsta",
    "scene-x.0000000009.rsta", "writing-application.0000000003.rsta", "application.confirmed", "progress", "ledger.rsta",
    "ledger.unreadable.rsta", "writing-ledger.rsta", "lock", "group", "writing-group", "application.0000000002.link-0001.rsta",
    "application.0000000009.link-0001.rsta", "application.0000000001.offered.rsta", "application.0000000009.offered.rsta",
    "application.0000000009.closed.rsta", "application.0000000009.declined.rsta", "application.0000000009.frozen.rsta",
    "scene-x.0000000009.closed.rsta",
  ]

  /// A store with two generations, the second of which is confirmed.
  private func makeStore(_ name: String) throws -> String {
    let folder = temporary.url(name).path
    let store = try RestorationStore(folder: folder)
    _ = try store.beginLaunch(bundleVersion: "1")
    for number in 1...2 { try store.save(SampleArchive.bytes(number), now: Date(timeIntervalSinceReferenceDate: 1)) }
    store.markStable()
    store.endLaunch()
    return folder
  }

  @Test("launches, loads and saves continue with any kind of entry under a name of the store", arguments: HostileEntry.allCases)
  func costsAtMostItself(_ entry: HostileEntry) throws {
    let archive = try SampleArchive.bytes(5)
    let folders = try Self.names.map { name in
      let folder = try makeStore(name)
      try entry.put(at: "\(folder)/\(name)", archive: archive)
      return folder
    }
    let result = try TestProcess.run("store-probe", ["visit"] + folders, environment: ["SWIFT_BACKTRACE": "enable=no"], limit: 60)
    #expect(!result.wasKilled && result.status == 0, "status \(result.status)")
    let lines = result.text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines.count == folders.count, "\(result.text)")
    for (name, line) in zip(Self.names, lines) {
      // The archive followed by a long tail counts as damaged, so an intact generation, 2 or 1, is used.
      let found = name == "application.0000000002.rsta" ? "1" : "2"
      // The progress record says how the last launch ended.
      let reason = name == "progress" ? "recover" : "launch"
      #expect(line == [reason, found, "78", "launch", "78"], "\(name): \(line.joined(separator: " "))")
    }
    // A foreign folder is at most moved.
    if entry == .folder {
      for (name, folder) in zip(Self.names, folders) {
        let inside = FileManager.default.subpaths(atPath: folder)?.filter { $0.hasSuffix("/inside/file") }
        #expect(inside?.count == 1, "\(name)")
      }
    }
  }

  @Test(
    "an intact archive with the greatest possible number, or the last one in range, is the newest, and saving continues",
    arguments: ["", ".pinned", ".frozen"], ["18446744073709551615", "9223372036854775807"])
  func savesAfterTheGreatestNumber(_ mark: String, number: String) throws {
    let folder = try makeStore("store")
    try Data(SampleArchive.bytes(7)).write(to: URL(fileURLWithPath: "\(folder)/application.\(number)\(mark).rsta"))
    try Data(SampleArchive.bytes(8)).write(to: URL(fileURLWithPath: "\(folder)/scene-x.18446744073709551614.rsta"))
    let store = try RestorationStore(folder: folder)
    #expect(try store.load().number == 7)
    for number in 10...13 {
      try store.save(SampleArchive.bytes(number))
      #expect(try store.load().number == number)
    }
    #expect(try store.load(#require(.scene("x"))).number == 8)
    let numbers = try store.generations().filter { $0.mark == .none }.map(\.number)
    #expect(numbers.count == 2 && numbers[0] < 100, "\(numbers)")
  }

  /// Ways in which a file can be damaged.
  enum Wrong: CaseIterable, Sendable {
    case nothing, cut, cutToPrefix, longer, firstPrefix, bothPrefixes, firstMetadata, magic, middle, end, zeros

    /// Whether all content is there: of two copies one is intact.
    var isHarmless: Bool { [.nothing, .firstPrefix, .firstMetadata, .magic, .end].contains(self) }

    func spoil(_ bytes: inout [UInt8]) {
      switch self {
      case .nothing: break
      case .cut: bytes.removeLast(bytes.count / 3)
      case .cutToPrefix: bytes.removeLast(bytes.count - 64)
      case .longer: bytes += [UInt8](repeating: 0, count: 100_000)
      case .firstPrefix: bytes[20] ^= 1
      case .bothPrefixes:
        bytes[20] ^= 1
        bytes[bytes.count - 20] ^= 1
      case .firstMetadata: bytes[70] ^= 1
      case .magic: bytes[0] ^= 1
      case .middle: bytes[bytes.count / 2] ^= 1
      case .end: bytes[bytes.count - 1] ^= 1
      case .zeros: bytes = [UInt8](repeating: 0, count: bytes.count)
      }
    }
  }

  @Test("a long file is judged like a short one, although less of it is read", arguments: Wrong.allCases)
  func judgesLongFiles(_ wrong: Wrong) throws {
    let folder = try makeStore("store")
    let filler = String(repeating: "state ", count: 50_000)
    var bytes = [UInt8](try ArchiveTree(applicationState: ["number": .integer(3), "filler": .string(filler)]).encoded())
    wrong.spoil(&bytes)
    try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/application.0000000003.rsta"))
    let findings = ArchiveCheck(bytes).findings
    let load = try RestorationStore(folder: folder, access: .reading).load()
    switch load.candidates.first?.outcome {
    case .taken: #expect(wrong.isHarmless && load.archive?.findings == Array(findings))
    case .damaged(let told): #expect(told.first == findings.first && !wrong.isHarmless, "\(told)")
    default: Issue.record("\(load.candidates)")
    }
    #expect(try load.number == (wrong.isHarmless ? 3 : 2))
    // The intact part is used if there is nothing better.
    for number in 1...2 { try FileManager.default.removeItem(atPath: "\(folder)/application.000000000\(number).rsta") }
    let alone = try RestorationStore(folder: folder, access: .reading).load()
    let isOpened = (try? ArchiveReader(inspecting: bytes)) != nil
    #expect((alone.archive != nil) == isOpened, "\(alone.candidates)")
    if ![.cut, .middle].contains(wrong), isOpened { #expect(try alone.number == 3) }
  }

  @Test("a scene whose only entry is a folder is no longer listed once loaded")
  func closesWhatIsNoFile() throws {
    let folder = try makeStore("store")
    let scene = try #require(ArchiveName.scene("x"))
    try HostileEntry.folder.put(at: "\(folder)/scene-x.0000000009.rsta", archive: [])
    let store = try RestorationStore(folder: folder)
    _ = try store.load(scene)
    #expect(try store.archives() == [.application])
  }

  @Test("opening something other than a file as an archive is an error immediately", arguments: HostileEntry.allCases)
  func opensFilesAlone(_ entry: HostileEntry) throws {
    let path = temporary.url("archive.rsta").path
    try entry.put(at: path, archive: SampleArchive.bytes(5))
    let result = try TestProcess.run("store-probe", ["read", path], environment: ["SWIFT_BACKTRACE": "enable=no"], limit: 60)
    #expect(!result.wasKilled && result.status == 0, "status \(result.status)")
    let expected =
      switch entry {
      case .emptyFile: "empty-file: no bytes"
      case .text: "bad-magic: 44 65 61 72 20 64 69 61"
      case .folder, .linkToFolder: "input-output: is a directory"
      case .pipe, .linkToPipe: "input-output: is a pipe"
      case .linkToEndlessDevice: "input-output: is a device"
      case .linkToNothing: "input-output: no such file or directory"
      case .linkToFile: "3 nodes"
      case .sparseFile: "bad-magic: 00 00 00 00 00 00 00 00"
      case .archiveWithSparseTail: "trailing-bytes: 900000000000"
      case .unreadableFile: getuid() == 0 ? "bad-magic: 44 65 61 72 20 64 69 61" : "input-output: permission denied"
      }
    #expect(result.text == expected + "\n")
  }
}
