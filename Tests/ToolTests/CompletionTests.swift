import Foundation
import ProcessKit
import RestorationArchive
import Testing

/// The completion scripts and the manual page name every verb and option, and work where their programs are installed.
@Suite struct CompletionTests {
  private let fixture: ToolFixture

  init() throws {
    fixture = try ToolFixture()
  }

  /// The long options of a verb, from its help.
  private func options(of verb: String) throws -> [String] {
    try fixture.run([verb, "--help"]).text.split(separator: "\n").filter { $0.hasPrefix("  -") }.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("--") }.map(String.init)
    }
  }

  @Test("every verb and every option is in every script, and in the manual page")
  func namesEverything() throws {
    let verbs = try ToolFixture.verbs()
    #expect(verbs.count >= 15)
    let bash = try fixture.run(["completions", "bash"]).text
    let zsh = try fixture.run(["completions", "zsh"]).text
    let fish = try fixture.run(["completions", "fish"]).text
    let manual = try fixture.run(["manual"]).text
    for name in ["LESS", "NO_COLOR", "PAGER", "RESTORATION_PROGRESS_DELAY", "TERM", "XDG_STATE_HOME"] {
      #expect(manual.contains(".B \(name)\n"))
    }
    for verb in verbs {
      #expect(bash.contains("    \(verb))\n"))
      #expect(zsh.contains("    \(verb))\n"))
      #expect(fish.contains("-a \(verb) -d"))
      #expect(manual.contains(".SS \(verb)\n"))
      for option in try options(of: verb) {
        #expect(zsh.contains("\(option)["), "\(option)")
        #expect(fish.contains("__fish_seen_subcommand_from \(verb)' -l \(option.dropFirst(2))"), "\(option)")
        #expect(manual.contains(option.map { $0 == "-" ? "\\-" : String($0) }.joined()), "\(option)")
      }
    }
  }

  /// Completes a command line in bash; the last word is the one to complete.
  private func complete(_ words: [String]) throws -> [String] {
    let script = """
      source /dev/stdin
      COMP_WORDS=("$@")
      COMP_CWORD=$(( $# - 1 ))
      COMP_WORDS[0]="$RESTORATION"
      _restoration
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let completions = try fixture.run(["completions", "bash"]).output
    let result = try TestProcess.run(
      "/bin/bash", ["-c", script, "bash", "restoration"] + words, in: fixture.folder.root, input: completions,
      environment: ["RESTORATION": TestProcess.products.appendingPathComponent("restoration").path])
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    return result.text.split(separator: "\n").map(String.init)
  }

  @Test(
    "bash completes verbs, options, choices and files",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
  func completesInBash() throws {
    #expect(try complete(["di"]) == ["diff"])
    #expect(try complete(["diff", "--sta"]) == ["--stat"])
    #expect(try complete(["diff", "--ignore", ""]) == ["volatile"])
    #expect(try complete(["tree", "-"]).contains("--depth"))
    #expect(try complete(["check", "notes.r"]) == ["notes.rsta"])
    // The | in its operands is between a text and an expression.
    #expect(try complete(["search", "notes.r"]) == ["notes.rsta"])
    #expect(try complete(["completions", ""]) == ["bash", "zsh", "fish"])
    #expect(try complete(["help", "siz"]) == ["sizes"])
    #expect(try Set(complete([""])).isSuperset(of: ToolFixture.verbs()))
  }

  @Test(
    "bash completes names with spaces as a whole, and the paths of nodes after a file",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
  func completesNamesAndPaths() throws {
    try FileManager.default.copyItem(at: fixture.folder.url("notes.rsta"), to: fixture.folder.url("my old notes.rsta"))
    #expect(try complete(["tree", "my o"]) == ["my old notes.rsta"])
    #expect(try complete(["get", "my old notes.rsta", ""]) == ["main/", "quick-note/"])
    #expect(try complete(["get", "notes.rsta", "main/navigation/ed"]) == ["main/navigation/editor/"])
    let item = "main/navigation/editor/checklist/item"
    #expect(try complete(["get", "notes.rsta", "\(item) 3"]) == ["\(item)\\ 3"])
    #expect(try complete(["diff", "notes.rsta", "notes.rsta", "--path", "q"]) == ["quick-note/"])
    #expect(try complete(["get", "letter.txt", ""]).isEmpty)
    #expect(try fixture.run(["completions", "--paths", "notes.rsta", "no/such"]).status == 0)
    #expect(try fixture.run(["completions", "bash", "zsh"]).status == 64)
  }

  @Test(
    "bash inserts an identifier as one word, whatever it is",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
  func quotesIdentifiers() throws {
    let names = ["yy; touch PWNED", "$(touch PWNED)", "`touch PWNED`", "two words", "*", "~", "a'b", "a\"b", "back\\slash", "é; x"]
    try Data(ArchiveTree(nodes: names.map { ArchiveNode($0) }).encoded()).write(to: fixture.folder.url("names.rsta"))
    let printed = try fixture.run(["completions", "--paths", "names.rsta"]).text.split(separator: "\n").map(String.init)
    #expect(printed.count == names.count && Set(printed).isSuperset(of: names.prefix(2)))
    let replies = try complete(["get", "names.rsta", ""])
    #expect(replies.count == names.count)
    // A shell reads the quoted words as the printed ones.
    let words = try TestProcess.run("/bin/bash", ["-c", "printf '%s\\n' " + replies.joined(separator: " ")], in: fixture.folder.root)
    #expect(words.text.split(separator: "\n").map(String.init) == printed, "\(words.error)")
    #expect(try complete(["get", "names.rsta", "yy"]) == ["yy\\;\\ touch\\ PWNED"])
    #expect(try complete(["get", "names.rsta", "yy\\;\\ to"]) == ["yy\\;\\ touch\\ PWNED"])
    #expect(try complete(["diff", "names.rsta", "names.rsta", "--path", "\\*"]) == ["\\*"])
    // Behind an open quote, only what means itself there.
    #expect(try complete(["get", "names.rsta", "'two w"]) == ["two words"])
    #expect(try complete(["get", "names.rsta", "\"two"]) == ["two words"])
    #expect(try complete(["get", "names.rsta", "\"$"]).isEmpty && complete(["get", "names.rsta", "'a"]).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.url("PWNED").path))
  }

  @Test(
    "the scripts for other shells can be parsed",
    arguments: [("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")].filter { FileManager.default.isExecutableFile(atPath: $0.1) })
  func parsesElsewhere(_ shell: String, _ program: String) throws {
    let script = try fixture.run(["completions", shell]).output
    try script.write(to: fixture.folder.url("script"))
    let result = try TestProcess.run(program, ["-n", fixture.folder.url("script").path])
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
  }

  @Test(
    "the manual page is formatted without warnings",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
  func formatsTheManual() throws {
    let page = try fixture.run(["manual"]).output
    let result = try TestProcess.run("/usr/bin/groff", ["-man", "-Tutf8", "-ww"], input: page)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(result.text.contains("gone on purpose"))
  }

  @Test func refusesOtherShells() throws {
    let result = try fixture.run(["completions", "tcsh"])
    #expect(result.status == 64)
    #expect(try fixture.run(["manual", "--format", "json"]).status == 64)
  }
}
