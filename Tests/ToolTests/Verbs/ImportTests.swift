import CorpusKit
import Foundation
import KeyedArchiveKit
import ProcessKit
import RestorationArchive
import Testing

/// The tool reads Apple's files, and writes keyed archives.
@Suite struct ImportTests {
  @Test("an archive becomes a keyed archive, which a second reader reads, and the same archive again")
  func convertsBothWays() throws {
    let fixture = try ToolFixture()
    let forth = try fixture.run(["convert", "--to", "keyed-archive", "-o", "small.plist", "small.rsta"])
    #expect(forth.status == 0, "\(forth.error)")
    let keyed = try Data(contentsOf: fixture.folder.url("small.plist"))
    let original = try Data(contentsOf: fixture.folder.url("small.rsta"))
    let tree = try ArchiveTree(decoding: original)
    #expect(try SlowKeyedArchive.read([UInt8](keyed)).sorted == KeyedForm.expected(of: tree).sorted)
    // The other form of a keyed archive is an archive.
    let back = try fixture.run(["convert", "-o", "again.rsta", "small.plist"])
    #expect(back.status == 0, "\(back.error)")
    #expect(try Data(contentsOf: fixture.folder.url("again.rsta")) == original)
  }

  @Test("sensitive values are not written into a keyed archive unasked")
  func refusesSensitiveValues() throws {
    let fixture = try ToolFixture()
    #expect(try fixture.run(["convert", "--to", "keyed-archive", "-o", "out.plist", "notes.rsta"]).status == 1)
    #expect(try fixture.run(["convert", "--to", "keyed-archive", "--redact", "-o", "out.plist", "notes.rsta"]).status == 0)
  }

  @Test("standard input is recognized by its content, as files are", arguments: ["info", "tree", "check", "dump"])
  func readsStandardInput(_ verb: String) throws {
    let fixture = try ToolFixture()
    let input = try Data(contentsOf: fixture.folder.url("uikit.data"))
    let result = try fixture.run([verb, "-"], input: input)
    #expect(result.status == 0, "\(result.error)")
    #expect(try fixture.run([verb, "uikit.data"]).text == result.text)
  }

  @Test("a log of AppKit is read with the keys beside it, and says so; without them it says what is missing")
  func findsKeys() throws {
    let fixture = try ToolFixture()
    let log = fixture.folder.url("notes.savedState/data.data")
    let whole = try fixture.run(["tree", "--state", "notes.savedState"])
    let found = try fixture.run(["tree", "--state", "notes.savedState/data.data"])
    #expect(found.text == whole.text && found.status == 0)
    #expect(found.error.contains("the keys of the records are from notes.savedState/windows.plist"))
    // Screenshots of windows lie beside the state, and are no part of it.
    try Data(repeating: 7, count: 64).write(to: fixture.folder.url("notes.savedState/window_3.data"))
    #expect(try fixture.run(["tree", "--state", "notes.savedState"]).text == whole.text)
    #expect(try fixture.run(["info", "notes.savedState/window_3.data"]).status == 2)
    // The name has no folder.
    try FileManager.default.copyItem(at: fixture.folder.url("notes.savedState/windows.plist"), to: fixture.folder.url("windows.plist"))
    #expect(try fixture.run(["tree", "--state", "alone.data"]).text == whole.text)
    // Standard input has no folder, whatever lies in the current one.
    let stream = try fixture.run(["info", "-"], input: Data(contentsOf: log))
    #expect(stream.status == 1)
    #expect(stream.error.contains("5 records of 3 windows cannot be decrypted"))
    try Data("bplist00".utf8).write(to: fixture.folder.url("windows.plist"))
    let broken = try fixture.run(["info", "alone.data"])
    #expect(broken.status == 2)
    #expect(broken.error.contains("in windows.plist"))
  }

  @Test(
    "an oddity is a note, and check answers 1; a strict reader refuses the file", arguments: ["info", "tree", "check", "convert", "dump"])
  func notesOddities(_ verb: String) throws {
    let fixture = try ToolFixture()
    let xml = "<plist><dict><key>a</key><integer>7</integer></dict></plist>"
    try Data((xml + "\0").utf8).write(to: fixture.folder.url("odd.plist"))
    let options = verb == "convert" ? ["--to", "json"] : []
    let result = try fixture.run([verb] + options + ["odd.plist"])
    #expect(result.status == (verb == "check" ? 1 : 0))
    #expect((result.error + result.text).contains("expected the end of the file (at offset 0x\(String(xml.utf8.count, radix: 16)))"))
    let strict = try fixture.run([verb, "--strict"] + options + ["odd.plist"])
    #expect(strict.status == 2 && strict.error.contains("[xml-syntax]"))
  }

  @Test("a saved state without records says so", arguments: [nil, []] as [[UInt8]?])
  func notesMissingLog(_ log: [UInt8]?) throws {
    let fixture = try ToolFixture()
    let url = fixture.folder.url("notes.savedState/data.data")
    try FileManager.default.removeItem(at: url)
    if let log { try Data(log).write(to: url) }
    let check = try fixture.run(["check", "notes.savedState"])
    #expect(check.status == 1)
    #expect(check.text.contains(log == nil ? "there is no data.data" : "data.data is empty"))
    #expect(check.text.contains("readable in part"))
    #expect(try fixture.run(["tree", "notes.savedState"]).status == 1)
  }

  @Test(
    "a file of another format is named, and the advice fits",
    arguments: [
      ("binary-version-15", "version 15", "plutil"), ("nib-archive", "a NIB archive", "ibtool"),
      ("typed-stream", "a typed stream", "NSUnarchiver"), ("large-file-pointer", "a pointer to a file", "git lfs pull"),
      ("utf-16-without-mark", "without a byte order mark", "iconv"), ("settings", "not an archive", "another kind of file"),
      ("json", "not an archive", "if it is the JSON form"),
    ])
  func namesOtherFormats(_ name: String, _ words: String, _ remedy: String) throws {
    let fixture = try ToolFixture()
    let file = try #require(AppleFixture.all.first { $0.name == "other-formats/invalid/\(name)" })
    // Short files are too short for an archive first.
    try Data(file.bytes + [UInt8](repeating: 0x20, count: 4096)).write(to: fixture.folder.url("other"))
    for verb in ["info", "tree", "check", "convert", "report"] where name != "json" || ["info", "tree", "check"].contains(verb) {
      let result = try fixture.run([verb, "other"] + (verb == "report" ? ["-o", "page.html"] : []))
      #expect(result.status == 2, "\(verb)")
      #expect(result.error.contains(words) && result.error.contains(remedy), "\(verb): \(result.error)")
      #expect(!result.error.contains("property list, `restoration convert`"))
    }
    // The same for a stream.
    #expect(try fixture.run(["info", "-"], input: Data(contentsOf: fixture.folder.url("other"))).error.contains(words))
  }

  @Test("old-style lists and tables of strings are read by every verb (R-K2-7)", arguments: ["info", "tree", "check", "dump", "convert"])
  func readsOldStyleLists(_ verb: String) throws {
    let fixture = try ToolFixture()
    try Data("/* \(String(repeating: "long ", count: 2000)) */\n\"title\" = \"Titel\";".utf8).write(to: fixture.folder.url("a.strings"))
    let result = try fixture.run([verb] + (verb == "convert" ? ["--to", "json"] : []) + ["a.strings"])
    #expect(result.status == 0, "\(result.error)")
  }

  @Test("a folder without a state is no archive, and a broken file is unreadable")
  func refusesOthers() throws {
    let fixture = try ToolFixture()
    #expect(try fixture.run(["info", "."]).status == 74)
    let broken = try fixture.run(["tree", "hostile.plist"])
    #expect(broken.status == 2)
    #expect(broken.error.contains("[container-cycle]"))
  }
}
