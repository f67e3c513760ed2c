import CorpusKit
import Foundation
import ProcessKit
import RestorationArchive
import Testing

/// What the tool says when it cannot do what was asked, and what to do then.
@Suite struct MessageTests {
  private let fixture: ToolFixture

  init() throws {
    fixture = try ToolFixture()
  }

  /// Runs a script of the shell, in which `$0` is the tool.
  private func script(_ text: String) throws -> TestProcess.Result {
    let tool = TestProcess.products.appendingPathComponent("restoration").path
    return try TestProcess.run("/bin/sh", ["-c", text, tool], in: fixture.folder.root)
  }

  // MARK: Names that are not UTF-8

  #if os(Linux)
    @Test(
      "an argument that is not UTF-8 is refused and shown, with a way to read the file",
      arguments: ["tree", "check", "store", "convert -o"])
    func refusesOtherNames(_ verb: String) throws {
      let result = try script("name=$(printf 'b\\377\\033d.rsta'); cp notes.rsta \"$name\"; \"$0\" \(verb) \"$name\"")
      #expect(result.status == 64)
      #expect(result.error.hasPrefix("restoration: b\u{FFFD}\\u{1b}d.rsta: is not UTF-8\n  "), "\(result.error)")
      #expect(try script("\"$0\" tree - < \"$(printf 'b\\377\\033d.rsta')\"").status == 0)
    }

    @Test("a file in a folder whose name is not UTF-8 is not silently left out")
    func namesWhatIsNotRead() throws {
      _ = try script("mkdir u; cp chain/1.rsta u; cp chain/2.rsta \"u/$(printf 'li\\377nk')\"")
      for verb in ["tree", "check", "convert"] {
        let result = try fixture.run([verb, "u"])
        #expect(result.error.contains("restoration: u: li\u{FFFD}nk is not read: its name is not UTF-8\n"), "\(result.error)")
      }
      _ = try script("cp chain/1.rsta \"u/$(printf 'x\\377')\"")
      #expect(try fixture.run(["info", "u"]).error.contains("u: li\u{FFFD}nk, one of 2 such files, is not read"))
      _ = try script("mkdir v; cp chain/2.rsta v; cp chain/1.rsta \"v/$(printf 'ba\\377se')\"")
      let result = try fixture.run(["info", "v/2.rsta"])
      #expect(result.status == 2 && result.error.contains("ba\u{FFFD}se is not read") && result.error.contains("is missing"))
    }
  #endif

  // MARK: Links

  @Test(
    "a link that is read without the files before it is called one",
    arguments: ["info", "tree", "dump", "sizes", "resolve", "report", "get - root", "search - a", "diff - chain/1.rsta", "convert"])
  func saysThatItIsALink(_ verb: String) throws {
    let words = verb.contains(" ") ? verb : "\(verb) -"
    for input in ["cat chain/2.rsta | \"$0\" \(words)", "\"$0\" \(words) < chain/2.rsta"] {
      let result = try script(input)
      let note = "restoration: standard input: is a link, and has only what changed since the file before it\n  `restoration apply` makes"
      #expect(result.error.components(separatedBy: note).count == 2, "\(input): \(result.error)")
      #expect(!result.error.contains("salvage"), "\(result.error)")
    }
    let asked = try script("\"$0\" \(words) --link < chain/2.rsta")
    #expect(!asked.error.contains("is a link, and"), "\(asked.error)")
  }

  @Test("the JSON form of a link is called a link too", arguments: ["sizes", "report -o page.html", "diff small.rsta"])
  func saysThatJSONIsALink(_ verb: String) throws {
    #expect(try script("\"$0\" convert --link chain/2.rsta > link.json").status == 0)
    #expect(try script("\"$0\" \(verb) link.json").error.contains("link.json: is a link, and has only what changed"))
  }

  @Test func salvageSaysWhatToDoWithALink() throws {
    let result = try script("\"$0\" salvage - < chain/2.rsta")
    #expect(result.status == 1 && result.error.contains("\n  `restoration apply` makes"), "\(result.error)")
  }

  // MARK: Sensitive values

  @Test("nothing tells what is inside a sensitive value, and each verb shows it in the same way")
  func hidesWhatIsInside() throws {
    let secret: ArchiveValue = ["hidden-key": "hidden-value", "list": [["deep-key": 1]]]
    let tree = ArchiveTree(
      applicationState: ArchiveDictionary([ArchiveDictionary.Entry(key: "token", value: secret, isSensitive: true)]))
    try tree.encoded().write(to: fixture.folder.url("secret.rsta"))
    for keys in [["token", "hidden-key"], ["token", "hidden-kez"], ["token.hidden-key"], ["token.list[0]", "deep-key"]] {
      for format in [["--format", "json"], ["--raw"], []] {
        let result = try fixture.run(["get", "secret.rsta", ""] + keys + format)
        #expect(result.error == "restoration: secret.rsta: token is marked as sensitive\n  --reveal shows it\n")
        #expect(result.status == 1 && !result.text.contains("hidden"))
      }
      #expect(try fixture.run(["get", "--reveal", "secret.rsta", ""] + keys).status == (keys.last == "hidden-kez" ? 1 : 0))
    }
    #expect(try fixture.run(["get", "--format", "json", "secret.rsta", "", "token"]).text == "{\n  \"$sensitive\": null\n}\n")
    #expect(try fixture.run(["get", "secret.rsta", "", "token"]).text == "<sensitive, up to 16 entries>\n")
    let dump = try fixture.run(["dump", "secret.rsta"])
    #expect(dump.text.contains("key 1, masked") && !dump.text.contains("hidden") && dump.text.contains(": token"), "\(dump.text)")
    #expect(try fixture.run(["dump", "--reveal", "secret.rsta"]).text.contains("hidden-key"))
  }

  // MARK: Files

  /// Status, message and hint of a command.
  private static let failures: [(command: String, status: Int32, lines: [String])] = [
    // Output.
    ("convert small.json -o nodir/deep/x.rsta", 74, ["nodir/deep/x.rsta: the folder nodir/deep does not exist"]),
    ("salvage small.rsta -o nodir/x.rsta", 74, ["nodir/x.rsta: the folder nodir does not exist"]),
    ("apply chain/1.rsta chain/2.rsta -o nodir/x.rsta", 74, ["nodir/x.rsta: the folder nodir does not exist"]),
    ("report small.rsta -o nodir/x.html", 74, ["nodir/x.html: the folder nodir does not exist"]),
    ("convert small.json -o small.rsta/x", 74, ["small.rsta/x: the folder small.rsta is not a directory"]),
    ("convert small.json -o ''", 64, ["--output is an empty name"]),
    (
      "convert small.json -o chain", 64,
      ["-o chain: is a directory, into which only the archives of a store are written", "name the file too, as in -o chain/OUT"]
    ),
    // Other files.
    ("tree /dev/null", 74, ["/dev/null: is a device", "files, folders and pipes are read, and standard input as -"]),
    (
      "info zeros", 2,
      [
        "zeros: the file is not an archive: its first bytes are 00 00 00 00 00 00 00 00, and should be 89 52 53 54 0d 0a 1a 0a "
          + "(at offset 0x0) [R-4.2-1]", "it begins with zeros, like a file whose content was lost when the system crashed",
      ]
    ),
    (
      "info lock", 2,
      [
        "lock: the file is not an archive: its first bytes are 6e 6f 74 65 73 2c 20 70, and should be 89 52 53 54 0d 0a 1a 0a "
          + "(at offset 0x0) [R-4.2-1]", "it has the name of a file of a store: `restoration store FOLDER` shows what is in one",
      ]
    ),
    ("store small.rsta", 74, ["small.rsta: is not a directory", "`restoration info small.rsta` looks at a file"]),
    ("store chain@7", 74, ["chain@7: no such file, and chain is not a store"]),
    ("notes --plain /dev/null/x", 74, ["notes: /dev/null/x cannot be read or written"]),
    // The same reason and status, whichever verb reads the file.
    ("dump empty.rsta", 2, ["empty.rsta: the file is empty (at offset 0x0) [R-4.2-1]", "it was never written, or it was truncated"]),
    (
      "delta empty.rsta small.rsta", 2,
      ["empty.rsta: the file is empty (at offset 0x0) [R-4.2-1]", "it was never written, or it was truncated"]
    ),
    (
      "delta small.rsta empty.rsta", 2,
      ["empty.rsta: the file is empty (at offset 0x0) [R-4.2-1]", "it was never written, or it was truncated"]
    ),
    (
      "apply empty.rsta chain/2.rsta", 2,
      ["empty.rsta: the file is empty (at offset 0x0) [R-4.2-1]", "it was never written, or it was truncated"]
    ),
    (
      "apply chain/1.rsta empty.rsta", 2,
      ["empty.rsta: the file is empty (at offset 0x0) [R-4.2-1]", "it was never written, or it was truncated"]
    ),
    (
      "delta small.rsta cut.rsta", 1,
      [
        "cut.rsta: the file is truncated: it lacks 2310 of its 5310 bytes (at offset 0xbb8) [R-4.1-2]",
        "`restoration check` lists all that is wrong, `restoration salvage` rescues what is intact",
      ]
    ),
    // The command line.
    ("small.rsta", 64, ["unknown verb small.rsta", "a verb comes before the file, as in `restoration info small.rsta`"]),
    ("--depth 3", 64, ["--depth is no option of `restoration` itself", "options come after the verb, as in `restoration tree --depth`"]),
    ("tree --depth small.rsta", 64, ["--depth: \"small.rsta\" is not a whole number, such as 3"]),
    ("tree --depth=-1 small.rsta", 64, ["--depth: \"-1\" is not a whole number, such as 3"]),
    ("tree --depth= small.rsta", 64, ["--depth: \"\" is not a whole number, such as 3"]),
    ("tree small.rsta --format", 64, ["--format needs a value: --format text|json"]),
    ("convert small.rsta -o", 64, ["--output needs a value: -o, --output OUT"]),
    // Paths and keys.
    ("get small.rsta root//x", 64, ["PATH: \"root//x\" is not a path: expected an identifier before /"]),
    (
      "get small.rsta nothing-like-it", 1,
      [
        "small.rsta: no node at nothing-like-it: the application has no child nothing-like-it",
        "`restoration tree small.rsta` shows all paths",
      ]
    ),
    (
      "get small.rsta root nothing-like-it", 1,
      ["small.rsta: root has no value under nothing-like-it", "`restoration get small.rsta root` shows all keys"]
    ),
    ("search --path nowhere small.rsta x", 1, ["small.rsta: no node at nowhere", "`restoration tree small.rsta` shows all paths"]),
    ("search --key icon --path root small.rsta zzz", 1, ["small.rsta: nothing matches zzz under the key icon at root or below"]),
    (
      "diff --path nowhere small.rsta edited.rsta", 1,
      ["neither archive has a node at nowhere", "`restoration tree edited.rsta` shows all paths"]
    ),
  ]

  @Test("a message says what is wrong and what to do, and the status is the documented one", arguments: failures)
  func saysWhatToDo(_ command: String, _ status: Int32, _ lines: [String]) throws {
    try Data(count: 100).write(to: fixture.folder.url("zeros"))
    try Data("notes, process 7\n".utf8).write(to: fixture.folder.url("lock"))
    let result = try script("\"$0\" \(command)")
    #expect(result.error == "restoration: \(lines.joined(separator: "\n  "))\n")
    #expect(result.status == status)
  }

  @Test("a number that is too large for the system is as good as no limit")
  func takesLargeNumbers() throws {
    let all = try fixture.run(["tree", "notes.rsta"])
    #expect(try fixture.run(["tree", "--depth", "99999999999999999999", "notes.rsta"]).text == all.text)
  }

  #if os(Linux)
    @Test("a socket is called one, for reading and for writing")
    func namesSockets() throws {
      #expect(unsafe mknod(fixture.folder.url("sock").path, S_IFSOCK | 0o600, 0) == 0)
      #expect(try fixture.run(["info", "sock"]).error == "restoration: sock: is a socket or another special file\n")
      let written = try fixture.run(["convert", "small.json", "-o", "sock"])
      #expect(written.error.hasPrefix("restoration: sock: is a socket or another special file, which no file replaces\n"))
    }
  #endif
}
