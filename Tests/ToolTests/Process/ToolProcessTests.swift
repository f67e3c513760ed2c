import CorpusKit
import Foundation
import ProcessKit
import RestorationArchive
import Testing

/// The tool among other processes: exit statuses, streams, files.
@Suite struct ToolProcessTests {
  /// Command lines with their exit statuses.
  static let statuses: [(arguments: [String], status: Int32)] = [
    (["tree", "notes.rsta"], 0), (["tree", "--", "notes.rsta"], 0), (["tree", "notes.rsta", "--depth", "0"], 0),
    (["check", "front.rsta"], 1), (["check", "grown.rsta"], 1), (["tree", "grown.rsta"], 1), (["info", "cut.rsta"], 1),
    (["dump", "damaged.rsta"], 1), (["get", "notes.rsta", "nobody"], 1), (["convert", "cut.rsta"], 1),
    (["info", "letter.txt"], 2), (["tree", "letter.txt"], 2), (["get", "letter.txt", "a"], 2), (["check", "letter.txt"], 2),
    (["dump", "letter.txt"], 2), (["convert", "letter.txt"], 2), (["tree", "empty.rsta"], 2), (["tree", "later.rsta"], 2),
    (["tree", "backwards.rsta"], 2), (["tree", "byte.rsta"], 2), (["check", "picture.png"], 2), (["get", "text-mode.rsta", "a"], 2),
    (["convert", "broken.json"], 2),
    ([], 64), (["tre", "notes.rsta"], 64), (["tree"], 64), (["tree", "notes.rsta", "kiosk.rsta"], 64),
    (["tree", "--dpth", "notes.rsta"], 64),
    (["tree", "--depth", "-1", "notes.rsta"], 64), (["tree", "--depth"], 64), (["tree", "--state=yes", "notes.rsta"], 64),
    (["tree", "--format", "xml", "notes.rsta"], 64), (["tree", "--state", "--state", "notes.rsta"], 64), (["help", "nothing"], 64),
    (["get", "notes.rsta", "a//b"], 64), (["get", "--raw", "notes.rsta", "main"], 64),
    (["get", "--raw", "notes.rsta", "main", "badge"], 64),
    (["convert", "--reveal", "--redact", "notes.rsta"], 64),
    (["convert", "--format", "json", "small.rsta"], 64), (["demo", "--format", "json"], 64), (["demo", "-o", "-"], 64),
    (["get", "--raw", "--format=json", "small.rsta", "root", "icon"], 64),
    (["get", "--raw", "--format=text", "small.rsta", "root", "icon"], 0),
    (["convert", "--force", "small.rsta"], 64), (["salvage", "--force", "damaged.rsta"], 64),
    (["convert", "--force", "-o", "-", "small.rsta"], 0), (["tree", "--reveal", "notes.rsta"], 64),
    (["tree", "--reveal", "--state", "notes.rsta"], 0), (["store", "--use", "1", "--format", "json", "."], 64),
    (["store", "--forget", "--format", "json", "."], 64),
    (["tree", "absent.rsta"], 74), (["tree", "."], 74), (["check", "absent.rsta"], 74), (["convert", "small.rsta", "-o", "absent/x"], 74),
  ]

  @Test(arguments: statuses)
  func endsWithItsStatus(_ arguments: [String], _ status: Int32) throws {
    let result = try ToolFixture().run(arguments)
    #expect(result.status == status, "\(result.error)")
    #expect(!result.wasKilled)
    // For `check`, the errors in an archive are the output.
    let isSilent = status == 0 || (arguments.first == "check" && status == 1)
    #expect(result.error.isEmpty == isSilent, "\(result.error)")
    #expect(result.error.isEmpty || result.error.hasPrefix("restoration: "))
  }

  @Test(arguments: ["tree", "info", "check", "dump"])
  func readsStandardInput(_ verb: String) throws {
    let fixture = try ToolFixture()
    let bytes = try Data(contentsOf: fixture.folder.url("kiosk.rsta"))
    let piped = try fixture.run([verb, "-"], input: bytes)
    #expect(piped.status == 0)
    #expect(piped.output == (try fixture.run([verb, "kiosk.rsta"]).output))
  }

  @Test func readsAPipe() throws {
    let fixture = try ToolFixture()
    let tool = TestProcess.products.appendingPathComponent("restoration").path
    let result = try TestProcess.run("/bin/sh", ["-c", "cat notes.rsta | '\(tool)' tree - | head -n 2"], in: fixture.folder.root)
    #expect(result.text == "(application)\n├─ main  Scene\n")
    #expect(result.error.isEmpty)
  }

  @Test("a link from a pipe, where no file before it can be found, is said to be one")
  func checksALinkByItself() throws {
    let fixture = try ToolFixture()
    let tool = TestProcess.products.appendingPathComponent("restoration").path
    let result = try TestProcess.run("/bin/sh", ["-c", "cat chain/3.rsta | '\(tool)' check -"], in: fixture.folder.root)
    #expect(result.status == 0 && result.text.contains("an intact link, which by itself is no archive"), "\(result.text)")
  }

  @Test("a full disk is reported as an error")
  func tellsThatOutputFailed() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let fixture = try ToolFixture()
    let tool = TestProcess.products.appendingPathComponent("restoration").path
    let result = try TestProcess.run("/bin/sh", ["-c", "'\(tool)' dump notes.rsta > /dev/full"], in: fixture.folder.root)
    #expect(result.status == 74)
    #expect(result.error.contains("no space left"))
  }

  @Test("a limit for the size of files is reported as an error, and no temporary file remains")
  func tellsThatAFileIsTooLarge() throws {
    let fixture = try ToolFixture()
    let tool = TestProcess.products.appendingPathComponent("restoration").path
    let command = "ulimit -f 1; '\(tool)' convert --reveal notes.rsta -o new.json"
    let result = try TestProcess.run("/bin/sh", ["-c", command], in: fixture.folder.root)
    #expect(result.status == 74 && result.error.contains("too large"), "\(result)")
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.root.path)
    #expect(!names.contains { $0.hasPrefix("new") || $0.hasSuffix(".tmp") }, "\(names)")
  }

  @Test(
    "an archive whose first bytes are those of another format is still an archive (R-K1-1)",
    arguments: ["bplist00", "<?xml ve", "{      {", "NSCR1000"])
  func knowsAnArchiveByItsEnd(_ magic: String) throws {
    let fixture = try ToolFixture()
    let url = fixture.folder.url("notes.rsta")
    var bytes = try Data(contentsOf: url)
    bytes.replaceSubrange(0..<8, with: Data(magic.utf8))
    try bytes.write(to: url)
    for verb in ["info", "check", "salvage", "dump", "tree"] {
      let result = try fixture.run([verb, "notes.rsta"])
      #expect(result.status == 1 && !result.text.isEmpty, "\(verb): \(result.error)")
    }
    let check = try fixture.run(["check", "notes.rsta"])
    #expect(check.status == 1 && check.text.contains("prefix-damaged"), "\(check.text)")
    #expect(try fixture.run(["convert", "notes.rsta", "-o", "again.rsta", "--to", "archive"]).status <= 1)
    #expect(try [UInt8](Data(contentsOf: fixture.folder.url("again.rsta"))) == Corpus.bytes(of: "valid/apps/notes.rsta"))
  }

  @Test("an output that does not wait for its reader gets everything")
  func waitsForTheReader() throws {
    let fixture = try ToolFixture()
    let text = String(repeating: "long ", count: 200_000)
    try ArchiveTree(applicationState: ["text": .string(text)]).encoded().write(to: fixture.folder.url("long.rsta"))
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0)
    let process = Process()
    process.executableURL = TestProcess.products.appendingPathComponent("restoration")
    process.arguments = ["get", "--raw", fixture.folder.url("long.rsta").path, "", "text"]
    process.standardOutput = FileHandle(fileDescriptor: ends[1])
    try process.run()
    // Nothing is read before there is no room, or the tool has given up.
    var room = pollfd(fd: ends[1], events: Int16(POLLOUT), revents: 0)
    while process.isRunning, unsafe poll(&room, 1, 0) == 1 { usleep(1000) }
    close(ends[1])
    let output = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true).readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && output == Data(text.utf8))
  }

  @Test func colorIsForTerminalsOrOnDemand() throws {
    let fixture = try ToolFixture()
    #expect(try !fixture.run(["tree", "kiosk.rsta"]).text.contains("\u{1B}"))
    #expect(try fixture.run(["tree", "--color=always", "kiosk.rsta"], environment: ["NO_COLOR": "1"]).text.contains("\u{1B}"))
    #expect(try !fixture.run(["tree", "--color=never", "kiosk.rsta"]).text.contains("\u{1B}"))
  }

  // MARK: get

  @Test func rawWritesTheBytesAndNothingElse() throws {
    let fixture = try ToolFixture()
    #expect(try fixture.run(["get", "--raw", "small.rsta", "root", "icon"]).output == Data([0, 1, 2, 255]))
    #expect(try fixture.run(["get", "--raw", "small.rsta", "", "theme"]).output == Data("dark".utf8))
    #expect(try fixture.run(["get", "--raw", "notes.rsta", "", "unlockToken"]).status == 1)
    #expect(try !fixture.run(["get", "--raw", "--reveal", "notes.rsta", "", "unlockToken"]).output.isEmpty)
  }

  @Test("one value can be read although other blocks are damaged")
  func readsPastDamage() throws {
    let fixture = try ToolFixture()
    let result = try fixture.run(["get", "grown.rsta", "main", "badge"])
    #expect(result.text == "3\n")
    #expect(result.status == 1)
    #expect(result.error.contains("the file has 1 byte too many: 5311 instead of 5310"))
  }

  // MARK: convert

  @Test func convertsThereAndBack() throws {
    let fixture = try ToolFixture()
    #expect(try fixture.run(["convert", "--reveal", "notes.rsta", "-o", "notes.json"]).status == 0)
    #expect(try fixture.run(["convert", "notes.json", "--output=back.rsta"]).status == 0)
    #expect(try Data(contentsOf: fixture.folder.url("back.rsta")) == Data(contentsOf: fixture.folder.url("notes.rsta")))
    let piped = try fixture.run(["convert", "--to", "archive", "-"], input: Data(contentsOf: fixture.folder.url("notes.json")))
    #expect(piped.output == (try Data(contentsOf: fixture.folder.url("notes.rsta"))))
  }

  @Test func neverOverwritesWithoutForce() throws {
    let fixture = try ToolFixture()
    let refused = try fixture.run(["convert", "small.rsta", "-o", "letter.txt"])
    #expect(refused.status == 74)
    #expect(refused.error.contains("--force"))
    #expect(try Data(contentsOf: fixture.folder.url("letter.txt")) == Data("Dear diary,\n".utf8))
    #expect(try fixture.run(["convert", "small.rsta", "-o", "letter.txt", "--force"]).status == 0)
    #expect(try Data(contentsOf: fixture.folder.url("letter.txt")).first == UInt8(ascii: "{"))
  }

  @Test("a file is replaced by another one, never by what is made of it; no temporary file remains")
  func replacesOthers() throws {
    let fixture = try ToolFixture()
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.root.path).sorted()
    #expect(try fixture.run(["convert", "--to", "archive", "kiosk.rsta", "-o", "kiosk.rsta", "--force"]).status == 64)
    #expect(try fixture.run(["convert", "--to", "archive", "kiosk.rsta", "-o", "small.rsta", "--force"]).status == 0)
    #expect(try Corpus.bytes(of: "valid/apps/kiosk.rsta") == [UInt8](Data(contentsOf: fixture.folder.url("small.rsta"))))
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder.root.path).sorted() == names)
  }

  @Test("what is neither a file nor a folder is refused as an output, and the file that a symbolic link leads to is replaced, not the link")
  func keepsWhatIsNoFile() throws {
    let fixture = try ToolFixture()
    let folder = fixture.folder
    #expect(unsafe mkfifo(folder.url("pipe").path, 0o600) == 0)
    let files = FileManager.default
    for (name, target) in [("link", "letter.txt"), ("way", "pipe"), ("nowhere", "new.json")] {
      try files.createSymbolicLink(atPath: folder.url(name).path, withDestinationPath: target)
    }
    // No device: a mistake would cost that of the system.
    for name in ["pipe", "way"] {
      let refused = try fixture.run(["convert", "small.rsta", "-o", name, "--force"])
      #expect(refused.status == 64 && refused.error.contains("-o - writes to standard output"), "\(name): \(refused.error)")
    }
    for (name, target) in [("link", "letter.txt"), ("nowhere", "new.json")] {
      #expect(try fixture.run(["convert", "small.rsta", "-o", name, "--force"]).status == 0)
      #expect(try files.destinationOfSymbolicLink(atPath: folder.url(name).path) == target)
      #expect(try Data(contentsOf: folder.url(target)).first == UInt8(ascii: "{"))
    }
  }

  @Test("an unreadable source does not overwrite its target")
  func keepsTheTargetWhenTheSourceIsDamaged() throws {
    let fixture = try ToolFixture()
    #expect(try fixture.run(["convert", "damaged.rsta", "-o", "letter.txt", "--force"]).status == 1)
    #expect(try Data(contentsOf: fixture.folder.url("letter.txt")) == Data("Dear diary,\n".utf8))
  }

  @Test(
    "a skipped damaged copy is reported, and the output is the same as without damage",
    arguments: [
      "front-prefix-bit", "back-prefix-bit", "metadata-first-copy", "metadata-second-copy", "tree-first-copy", "tree-second-copy",
    ])
  func tellsDamagedCopies(_ name: String) throws {
    let fixture = try ToolFixture()
    let intact = try fixture.run(["convert", "--reveal", "-"], input: Data(Corpus.bytes(of: "damaged/base.hex")))
    #expect(intact.status == 0 && intact.error.isEmpty)
    let damaged = try fixture.run(["convert", "--reveal", "-"], input: Data(Corpus.bytes(of: "damaged/\(name).hex")))
    #expect(damaged.output == intact.output)
    #expect(damaged.status == 1)
    #expect(damaged.error.hasPrefix("restoration: standard input: "))
    #expect(damaged.error.split(separator: "\n").count == 1)
  }

  @Test("harmless faults are reported, with the command that lists them all")
  func tellsFaultsOfWhatItConverts() throws {
    let fixture = try ToolFixture()
    let both = try Self.withBackDamaged(Corpus.bytes(of: "damaged/metadata-first-copy.hex"))
    let result = try fixture.run(["convert", "--reveal", "-", "-o", "out.json"], input: both)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(try fixture.names(in: ".").contains("out.json"))
    #expect(result.error.hasSuffix("  `restoration check` lists all that is wrong\n"))
    #expect(try fixture.run(["convert", "faulty.rsta"]).error.hasPrefix("restoration: faulty.rsta: "))
  }

  @Test(
    "an archive that breaks a rule is refused, with what rescues its content",
    arguments: ["state-section-unused", "state-records-with-gap"])
  func refusesWhatBreaksARule(_ name: String) throws {
    let result = try ToolFixture().run(["convert", "-"], input: Data(Corpus.bytes(of: "invalid/6.3-state/\(name).hex")))
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.error.contains("[R-6.3-2]\n  `restoration check` lists all that is wrong, `restoration salvage` "), "\(result.error)")
  }

  private static func withBackDamaged(_ bytes: [UInt8]) -> Data {
    var bytes = bytes
    bytes[bytes.count - 1] ^= 1
    return Data(bytes)
  }

  // MARK: Options that need others

  @Test("an option without effect is an error that names the option it needs")
  func tellsWhatOptionsNeed() throws {
    let fixture = try ToolFixture()
    #expect(try fixture.run(["tree", "--reveal", "notes.rsta"]).error == "restoration: --reveal needs --state\n")
    #expect(try fixture.run(["salvage", "--force", "notes.rsta"]).error == "restoration: --force needs --output\n")
    let convert = try fixture.run(["convert", "--format", "json", "small.rsta"])
    #expect(convert.error == "restoration: convert has no --format\n  --to json makes the JSON form\n")
    #expect(convert.output.isEmpty)
    #expect(try fixture.run(["get", "--raw", "--format", "json", "small.rsta", "root", "icon"]).output.isEmpty)
    #expect(try fixture.run(["demo", "--format", "text"]).error == "restoration: demo has no --format\n")
  }

  // MARK: salvage

  @Test("salvage writes a valid archive with everything intact")
  func salvages() throws {
    let fixture = try ToolFixture()
    #expect(try fixture.run(["salvage", "damaged.rsta", "-o", "rescued.rsta"]).status == 1)
    #expect(try fixture.run(["check", "rescued.rsta"]).text == "intact: 145 nodes\n")
    #expect(try fixture.run(["salvage", "damaged.rsta", "-o", "rescued.rsta"]).status == 74)
    #expect(try fixture.run(["salvage", "letter.txt", "-o", "nothing.rsta"]).status == 2)
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.url("nothing.rsta").path))
    #expect(try fixture.run(["salvage", "notes.rsta", "-o", "same.rsta"]).status == 0)
    #expect(try Data(contentsOf: fixture.folder.url("same.rsta")) == Data(contentsOf: fixture.folder.url("notes.rsta")))
  }

  @Test(
    "check and salvage report files that are not archives, with the same hint as other verbs", arguments: ["check", "salvage"])
  func hintsAtWhatIsNoArchive(_ verb: String) throws {
    let fixture = try ToolFixture()
    for file in ["empty.rsta", "letter.txt", "picture.png", "text-mode.rsta"] {
      let result = try fixture.run([verb, file])
      let other = try fixture.run(["tree", file])
      #expect(result.status == 2 && other.status == 2, "\(file)")
      let hint = try #require(other.error.split(separator: "\n").last)
      #expect(hint.hasPrefix("  ") && result.error.hasSuffix("\n\(hint)\n"), "\(file): \(result.error)")
    }
  }

  @Test("harmless faults are not a success either")
  func tellsFaultsThatAreNoLoss() throws {
    let fixture = try ToolFixture()
    let result = try fixture.run(["salvage", "faulty.rsta", "-o", "mended.rsta"])
    #expect(result.text.hasPrefix("rescued everything"))
    #expect(result.status == 1)
    #expect(result.error.contains("`restoration check faulty.rsta` lists what is wrong"))
    #expect(try fixture.run(["check", "mended.rsta"]).status == 0)
  }

  @Test("salvage writes to the same targets as other verbs; with standard output, the report goes to standard error")
  func salvagesToStandardOutput() throws {
    let fixture = try ToolFixture()
    let report = try fixture.run(["salvage", "damaged.rsta", "-o", "rescued.rsta"])
    let names = try fixture.names(in: ".")
    let piped = try fixture.run(["salvage", "damaged.rsta", "-o", "-"])
    #expect(piped.output == (try Data(contentsOf: fixture.folder.url("rescued.rsta"))))
    #expect(piped.error == report.text)
    #expect(piped.status == 1)
    let json = try fixture.run(["salvage", "--format", "json", "damaged.rsta", "--output=-"])
    #expect(json.output == piped.output)
    #expect(json.error == (try fixture.run(["salvage", "--format", "json", "damaged.rsta"]).text))
    let nothing = try fixture.run(["salvage", "letter.txt", "-o", "-"])
    #expect(nothing.output.isEmpty)
    #expect(nothing.status == 2)
    #expect(nothing.error.hasPrefix("restoration: letter.txt: nothing could be rescued: the file is not an archive: "))
    #expect(nothing.error.contains("\n  `restoration convert --help` lists the kinds of files"))
    #expect(try fixture.names(in: ".") == names)
  }

  // MARK: demo

  @Test("the demo recreates its own folder, and leaves everything else alone")
  func demoKeepsFiles() throws {
    let fixture = try ToolFixture()
    #expect(try fixture.run(["demo", "-o", "letter.txt", "--force"]).status == 74)
    #expect(try Data(contentsOf: fixture.folder.url("letter.txt")) == Data("Dear diary,\n".utf8))
    try FileManager.default.createDirectory(at: fixture.folder.url("mine"), withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: fixture.folder.url("mine/file"))
    #expect(try fixture.run(["demo", "-o", "mine"]).status == 74)
    let first = try fixture.run(["demo", "-o", "mine", "--force"])
    #expect(first.status == 0)
    #expect(try Data(contentsOf: fixture.folder.url("mine/file")) == Data("mine".utf8))
    #expect(try fixture.run(["demo", "-o", "mine", "--force"]).text == first.text)
  }

  @Test("the demo clears what an earlier one has left, but not what was written there since")
  func demoKeepsNotes() throws {
    let fixture = try ToolFixture()
    for _ in 1...2 { #expect(try fixture.run(["demo", "-o", "tried"]).status == 0) }
    let notes = try fixture.run(["notes", "--plain", "tried"], input: Data("open mine\ntype draft\nquit\n".utf8))
    #expect(notes.status == 0, "\(notes.text)")
    let refused = try fixture.run(["demo", "-o", "tried"])
    #expect(refused.status == 74 && refused.error.contains("the app was used there") && refused.error.contains("--force"))
    #expect(try fixture.run(["notes", "--plain", "tried"], input: Data("show\nquit\n".utf8)).text.contains("draft \"draft\""))
    // A folder of the app that no demo has made.
    _ = try fixture.run(["notes", "--plain", "own"], input: Data("quit\n".utf8))
    #expect(try fixture.run(["demo", "-o", "own"]).status == 74)
    #expect(try fixture.run(["demo", "-o", "own", "--force"]).status == 0)
  }

  @Test("an input that does not wait for its writer is read to its end")
  func waitsForTheWriter() throws {
    let archive = try ArchiveTree(applicationState: ["text": "late"]).encoded()
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0 && fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    let process = Process()
    process.executableURL = TestProcess.products.appendingPathComponent("restoration")
    process.arguments = ["get", "--raw", "-", "", "text"]
    let output = Pipe()
    (process.standardInput, process.standardOutput) = (FileHandle(fileDescriptor: ends[0]), output)
    try process.run()
    // The first part is read before the second one is written, or the tool has given up.
    let writer = FileHandle(fileDescriptor: ends[1], closeOnDealloc: false)
    try writer.write(contentsOf: archive.prefix(10))
    var rest: Int32 = 1
    while process.isRunning, rest > 0, unsafe ioctl(ends[0], UInt(FIONREAD), &rest) == 0 { usleep(1000) }
    close(ends[0])
    if process.isRunning { try? writer.write(contentsOf: archive.dropFirst(10)) }
    close(ends[1])
    let text = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && text == Data("late".utf8))
  }
}
