import CorpusKit
import Foundation
import KeyedArchive
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

  @Test(
    "sensitive values of a keyed archive, and of a plain list of one, are not shown or written unasked", arguments: ["plist", "xml-plist"])
  func hidesSensitiveValues(_ form: String) throws {
    let fixture = try ToolFixture()
    let state = ArchiveDictionary([ArchiveDictionary.Entry(key: "token", value: "SECRET123", isSensitive: true)])
    try ArchiveTree(applicationState: state).encoded().write(to: fixture.folder.url("s.rsta"))
    #expect(try fixture.run(["convert", "--to", "keyed-archive", "--reveal", "s.rsta", "-o", "keyed.plist"]).status == 0)
    #expect(try fixture.run(["convert", "--to", form, "--reveal", "keyed.plist", "-o", "list.plist"]).status == 0)
    #expect(try fixture.run(["convert", "--to", "plist", "--reveal", "s.rsta", "-o", "plain.plist"]).status == 0)
    func holdsSecret(_ file: String) throws -> Bool {
      try Data(contentsOf: fixture.folder.url(file)).range(of: Data("SECRET123".utf8)) != nil
    }
    for (name, place) in [("keyed.plist", "keyed"), ("list.plist", "list"), ("plain.plist", "plain")] {
      #expect(try holdsSecret(name))
      let refused = try fixture.run(["convert", "--to", form, name, "-o", "\(place).out"])
      #expect(refused.status == 1 && refused.error.contains("--redact"), "\(name): \(refused.error)")
      #expect(try fixture.run(["convert", "--to", form, "--redact", name, "-o", "\(place).out"]).status == 0)
      #expect(try !holdsSecret("\(place).out"))
      #expect(try !fixture.run(["tree", "--state", name]).text.contains("SECRET123"))
      #expect(try fixture.run(["convert", "--to", form, "--reveal", "--force", name, "-o", "\(place).out"]).status == 0)
      #expect(try holdsSecret("\(place).out"))
    }
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
    #expect(found.error.contains("the keys of the records are from windows.plist in the same folder"))
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
      ("utf-16-without-mark", "without a byte order mark", "iconv"), ("settings", "not an archive", "the kinds of files that are read"),
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

  @Test("lists inside lists are named, and addressed through")
  func addressesLists() throws {
    let fixture = try ToolFixture()
    let inner = RawPropertyList(.object([("key", .string("deep")), ("rows", .array([.integer(7), .object([("a", .integer(8))])]))])).bytes
    var archive = RawKeyedArchive()
    archive.top = [("title", archive.add(.string("keyed"))), ("list", archive.add("NSData", [("NS.data", .data(inner))]))]
    let bookmark = Array("book".utf8) + [60, 0, 0, 0] + Array("mark".utf8) + [UInt8](repeating: 0, count: 40)
    let outer = RawPropertyList(
      .object([
        ("inner list", .data(inner)), ("archive", .data(archive.bytes)), ("array", .data(RawPropertyList(.array([.integer(9)])).bytes)),
        ("mark", .data(bookmark)),
      ]))
    try Data(outer.bytes).write(to: fixture.folder.url("outer.plist"))
    let tree = try fixture.run(["tree", "--state", "outer.plist"]).text
    #expect(tree.contains("(a property list)") && tree.contains("(a keyed archive)") && tree.contains("(a bookmark)"))
    for (keys, expected) in [
      (["inner list", "key"], "\"deep\""), (["inner list", "rows", "1", "a"], "8"), (["archive", "list", "rows", "0"], "7"),
      (["archive", "title"], "\"keyed\""), (["array", "0"], "9"), (["array", "root", "0"], "9"),
    ] {
      #expect(try fixture.run(["get", "outer.plist", ""] + keys).text == expected + "\n", "\(keys)")
    }
    #expect(try fixture.run(["get", "--raw", "outer.plist", "", "archive", "title"]).text == "keyed")
    let absent = try fixture.run(["get", "outer.plist", "", "inner list", "kez"])
    #expect(absent.status == 1 && absent.error.contains("inner list has no value under kez") && absent.error.contains("did you mean key?"))
    #expect(try fixture.run(["get", "outer.plist", "", "inner list", "rows", "2"]).status == 1)
  }

  @Test("a value within a sensitive value is sensitive")
  func hidesInnerValues() throws {
    let fixture = try ToolFixture()
    var tree = ArchiveTree()
    tree.applicationState["secret"] = ["pin": "1234"]
    tree.applicationState.setSensitive(true, forKey: "secret")
    try tree.encoded().write(to: fixture.folder.url("secret.rsta"))
    #expect(!(try fixture.run(["get", "secret.rsta", "", "secret", "pin"]).text.contains("1234")))
    #expect(try fixture.run(["get", "--raw", "secret.rsta", "", "secret", "pin"]).status == 1)
    #expect(try fixture.run(["get", "--reveal", "secret.rsta", "", "secret", "pin"]).text.contains("1234"))
  }

  @Test("lists are converted into each other, and archives into lists", arguments: ["plist", "xml-plist"])
  func convertsLists(_ form: String) throws {
    let fixture = try ToolFixture()
    for name in ["xml.plist", "circle.plist", "uikit.data"] {
      let result = try fixture.run(["convert", "--to", form, "-o", "out.\(form)", "--force", name])
      #expect(result.status == 0, "\(result.error)")
      let out = try PropertyList(decoding: [UInt8](Data(contentsOf: fixture.folder.url("out.\(form)"))))
      let original = try PropertyList(decoding: [UInt8](Data(contentsOf: fixture.folder.url(name))))
      #expect(out.plain().sorted == original.plain().sorted)
    }
    let archive = try fixture.run(["convert", "--to", form, "-o", "archive.\(form)", "small.rsta"])
    let list = try PropertyList(decoding: [UInt8](Data(contentsOf: fixture.folder.url("archive.\(form)"))))
    #expect(list.plain()["restorationArchive"] == .integer(1))
    // The dates of XML have whole seconds: what is left out is said.
    #expect(archive.status == (archive.error.contains("fraction of a second") ? 1 : 0))
    #expect(try fixture.run(["convert", "--to", form, "-o", "x.\(form)", "notes.rsta"]).status == 1)
    #expect(try fixture.run(["convert", "--to", form, "-o", "y.\(form)", "notes.savedState"]).status == 0)
  }

  @Test("what is whole of a damaged list is rescued, and what is lost is said")
  func salvagesLists() throws {
    let fixture = try ToolFixture()
    let list = RawPropertyList(.object((0..<20).map { ("key \($0)", .string("value \($0)")) }))
    try Data(list.bytes.dropLast(40)).write(to: fixture.folder.url("cut.plist"))
    let info = try fixture.run(["info", "cut.plist"])
    #expect(info.status == 2 && info.error.contains("`restoration salvage` rescues the objects that are whole"))
    let salvage = try fixture.run(["salvage", "cut.plist", "-o", "rescued.rsta"])
    #expect(salvage.status == 1 && salvage.text.contains("lost: ") && salvage.text.contains("readable in part"))
    #expect(try fixture.run(["get", "--raw", "rescued.rsta", "", "key 19"]).text == "value 19")
    #expect(try fixture.run(["salvage", "xml.plist"]).status == 0)
    #expect(try fixture.run(["salvage", "hostile.plist"]).status == 1)
    try Data("bplist00".utf8).write(to: fixture.folder.url("nothing.plist"))
    #expect(try fixture.run(["salvage", "nothing.plist", "-o", "no.rsta"]).status == 2)
    // The dump explains every byte, and what is wrong where it is.
    let dump = try fixture.run(["dump", "cut.plist"])
    #expect(dump.text.contains("object 40: string: \"value 19\"") || dump.text.contains("\"value 19\""))
    #expect(dump.text.contains("the offset table is not readable"))
    var damaged = list
    damaged.objects[3][0] = 0xE0
    try Data(damaged.bytes).write(to: fixture.folder.url("mark.plist"))
    let other = try fixture.run(["dump", "mark.plist"])
    #expect(other.text.contains("object 3: not readable: marker") && other.text.contains("offset of the offset table"))
    #expect(other.text.contains("object 4: 0x"))
  }

  @Test("objects of well-known classes are values, and their plumbing an option")
  func showsValues() throws {
    let fixture = try ToolFixture()
    var archive = RawKeyedArchive()
    archive.top = [("font", archive.add("NSFont", [("NSName", archive.add(.string("Helvetica"))), ("NSSize", .number(12))]))]
    try Data(archive.bytes).write(to: fixture.folder.url("font.plist"))
    #expect(try fixture.run(["tree", "--state", "font.plist"]).text.contains("font: \"Helvetica 12.0\""))
    #expect(try fixture.run(["tree", "--state", "--plumbing", "font.plist"]).text.contains("$class: \"NSFont\""))
    #expect(try fixture.run(["tree", "--state", "--format", "json", "font.plist"]).text.contains("NSFont"))
    #expect(try fixture.run(["convert", "--to", "json", "font.plist"]).text.contains("NSFont"))
    _ = try fixture.run(["report", "-o", "page.html", "font.plist"])
    _ = try fixture.run(["report", "--plumbing", "-o", "plumbing.html", "font.plist"])
    #expect(try Data(contentsOf: fixture.folder.url("page.html")) != Data(contentsOf: fixture.folder.url("plumbing.html")))
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
