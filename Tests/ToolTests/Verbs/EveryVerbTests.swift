import CorpusKit
import Foundation
import ProcessKit
import StateRestoration
import TestStage
import Testing

/// Every verb on every file of the corpus: it ends by itself, without a trap, and says what it found.
@Suite struct EveryVerbTests {
  /// The command lines of each verb; `FILE` is the file of the corpus, `GOOD` an intact archive.
  private static let commands: [[String]] = [
    ["info", "FILE"], ["tree", "--state", "--sizes", "FILE"], ["get", "FILE", ""], ["search", "FILE", "/e+/"], ["check", "FILE", "GOOD"],
    ["dump", "FILE"],
    ["convert", "--redact", "-o", "out.1", "FILE"], ["salvage", "-o", "out.2", "FILE"], ["resolve", "-r", "**", "FILE"],
    ["diff", "GOOD", "FILE"], ["sizes", "FILE", "GOOD"], ["report", "-o", "out.3", "FILE"], ["delta", "-o", "out.4", "GOOD", "FILE"],
    ["apply", "-o", "out.5", "GOOD", "FILE"], ["store", "store"],
  ]
  /// More command lines, for the files that are not archives by themselves, and for damaged ones.
  private static let variants: [[String]] = [
    ["info", "--link", "FILE"], ["tree", "--state", "--link", "FILE"], ["diff", "--stat", "FILE", "GOOD"],
    ["convert", "--to", "keyed-archive", "--reveal", "-o", "out.6", "FILE"], ["delta", "-o", "out.7", "FILE", "GOOD"],
    ["apply", "-o", "out.8", "FILE", "FILE"], ["report", "-o", "out.9", "store"],
  ]

  @Test("the commands below are those of every verb that reads a file")
  func coversEveryVerb() throws {
    let verbs = try ToolFixture.verbs()
    let others = ["demo", "notes", "completions", "manual"]
    #expect(Set(verbs) == Set(Self.commands.map { $0[0] } + ["browse"] + others))
  }

  /// A ninth of the corpus in the second stage: the tool starts for each verb, and other tests call the functions behind
  /// it for every file.
  private static func archives() throws -> [CorpusFile] {
    guard TestStage.isExhaustive else { return [try Corpus.file("damaged/blocks-in-all-sections.hex")] }
    return try Corpus.files().enumerated().filter { $0.offset % 9 == 0 }.map(\.element)
  }

  @Test("an archive", arguments: try archives())
  func readsArchives(_ file: CorpusFile) throws {
    let folder = try TemporaryFolder()
    try Data(file.bytes).write(to: folder.url("file"))
    try Self.runEverything(on: "file", file.bytes, in: folder, Self.commands + (file.path.hasPrefix("damaged/") ? Self.variants : []))
  }

  @Test("a chain, by its last file and by its folder", arguments: TestStage.every(100, of: try CorpusChain.all()))
  func readsChains(_ chain: CorpusChain) throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.url("chain"), withIntermediateDirectories: true)
    for (number, bytes) in chain.files.enumerated() { try Data(bytes).write(to: folder.url("chain/\(number + 1000).rsta")) }
    let last = try #require(chain.files.last)
    try Self.runEverything(on: "chain/\(chain.files.count + 999).rsta", last, in: folder)
    guard TestStage.isExhaustive else { return }
    for number in 1...9 { try? FileManager.default.removeItem(at: folder.url("out.\(number)")) }
    try Self.runEverything(on: "chain", last, in: folder)
  }

  @Test("a file of Apple's formats", arguments: TestStage.every(200, of: try AppleCorpusFile.files()))
  func readsImports(_ file: AppleCorpusFile) throws {
    let folder = try TemporaryFolder()
    if let windows = file.windows {
      try FileManager.default.createDirectory(at: folder.url("file"), withIntermediateDirectories: true)
      try Data(windows).write(to: folder.url("file/windows.plist"))
      try Data(file.bytes).write(to: folder.url("file/data.data"))
    } else {
      try Data(file.bytes).write(to: folder.url("file"))
    }
    try Self.runEverything(on: "file", file.bytes, in: folder)
  }

  /// Runs every verb on a file, and on a store whose generation it is.
  private static func runEverything(
    on name: String, _ bytes: [UInt8], in folder: TemporaryFolder, _ commands: [[String]] = commands + variants
  ) throws {
    let good = try Corpus.bytes(of: "valid/apps/kiosk.rsta")
    try Data(good).write(to: folder.url("good.rsta"))
    if !FileManager.default.fileExists(atPath: folder.url("store").path) {
      let store = try RestorationStore(folder: folder.url("store").path)
      try store.save(good)
      try Data(bytes).write(to: folder.url("store/application.0000000002.rsta"))
    }
    for command in commands {
      let arguments = command.map { $0 == "FILE" ? name : $0 == "GOOD" ? "good.rsta" : $0 }
      let result = try TestProcess.run(
        "restoration", arguments, in: folder.root, environment: ["SWIFT_BACKTRACE": "enable=no"], limit: 60)
      #expect(!result.wasKilled && [0, 1, 2, 74].contains(result.status), "\(command): status \(result.status) \(result.error)")
      // It prints a result or an error.
      let isWritten = command.contains("-o") && result.status < 2
      #expect(isWritten || !result.output.isEmpty || !result.error.isEmpty, "\(command) says nothing")
      #expect(result.status == 0 || result.status == 1 || result.error.hasPrefix("restoration: "), "\(command): \(result.error)")
      #expect(String(validating: result.output, as: UTF8.self) != nil, "\(command)")
    }
    try browse(name, in: folder)
  }

  /// Opens a file in the browser, which must end by the key q, or by itself with a reason.
  private static func browse(_ name: String, in folder: TemporaryFolder) throws {
    let terminal = try PseudoTerminal("restoration", ["browse", "--positions", folder.url("positions").path, folder.url(name).path])
    guard terminal.wait(for: "?: help") != nil else { return #expect([1, 2, 74].contains(terminal.end())) }
    terminal.type("*jq")
    #expect(terminal.end() == 0)
  }
}
