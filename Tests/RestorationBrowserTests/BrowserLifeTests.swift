import CorpusKit
import Foundation
import ProcessKit
import TestStage
import Testing

/// The browser as a process on a pseudo-terminal: used, resized, quit, killed.
@Suite(.serialized) struct BrowserLifeTests {
  /// A browser of a copy of the notes archive.
  private final class Run {
    let terminal: PseudoTerminal
    var screen = TerminalScreen(columns: 64, rows: 12)

    init(_ folder: TemporaryFolder, _ file: String = "notes.rsta") throws {
      let source = folder.url(file)
      if !FileManager.default.fileExists(atPath: source.path) {
        try Data(Corpus.bytes(of: "valid/apps/notes.rsta")).write(to: source)
      }
      terminal = try PseudoTerminal("restoration", ["browse", "--positions", folder.url("positions").path, source.path])
      #expect(wait("?: help"))
    }

    /// Reads until the terminal has received a text, which the screen then shows.
    func wait(_ text: String) -> Bool {
      while !screen.text.contains(text) {
        // Every update of the screen begins by hiding the cursor.
        guard let received = terminal.wait(for: "\u{1B}[0m") else { return false }
        screen.receive(received)
      }
      return true
    }

    func type(_ keys: String, until text: String) {
      terminal.type(keys)
      #expect(wait(text), "after \(keys): \(screen.text)")
    }
  }

  @Test("keys work, a resize repaints, and q leaves the terminal as it was")
  func runs() throws {
    let folder = try TemporaryFolder()
    let run = try Run(folder)
    #expect(run.wait("1/3 intact"))
    #expect(run.screen.isAlternate && !run.terminal.isCooked)
    run.type("/item 3\r", until: "text: ")
    #expect(run.screen.text.contains("item 3"))
    run.type("y", until: "copied: main/navigation/editor/checklist/item 3")
    #expect(run.screen.copied == [Data("main/navigation/editor/checklist/item 3".utf8).base64EncodedString()])
    run.terminal.resize(columns: 50, rows: 8)
    run.screen.resize(columns: 50, rows: 8)
    run.terminal.signal(SIGWINCH)
    #expect(run.wait("item 3"))
    run.type("gg", until: "1/")
    run.type(":quick-note\r", until: "notes.rsta  quick-note")
    // Drawn again, although nothing has changed.
    run.terminal.type("\u{C}")
    let drawn = try #require(run.terminal.wait(for: "?: help"))
    #expect(drawn.contains("\u{1B}[2J"))
    run.screen.receive(drawn)
    run.type("?", until: "The keys, as in less")
    run.type("x", until: "notes.rsta  quick-note")
    // A click on the first row of the screen, as the terminal reports it, and a turn of the wheel.
    run.type("\u{1B}[<0;3;2M", until: " 14/")
    run.type("\u{1B}[<65;3;2M", until: " 17/")
    run.type("gg/printed\r", until: "Ferry tickets")
    #expect(run.screen.text.split(separator: "\n", omittingEmptySubsequences: false).count == 9)
    run.terminal.type("q")
    #expect(run.terminal.wait(for: "\u{1B}[?1049l") != nil)
    #expect(run.terminal.end() == 0 && run.terminal.isCooked)
  }

  @Test("the position comes back, however the browser ended", arguments: [0, SIGTERM, SIGINT, SIGHUP])
  func comesBack(_ signal: Int32) throws {
    let folder = try TemporaryFolder()
    let first = try Run(folder)
    // Not "item 5", which is on the screen while it is typed: the signal may come before the key that ends it.
    first.type("/item 5\r", until: "text: ")
    first.type("\tj", until: "│")
    if signal == 0 { first.terminal.type("q") } else { first.terminal.signal(signal) }
    #expect(first.terminal.wait(for: "\u{1B}[?1049l") != nil)
    #expect(first.terminal.end() == -signal && first.terminal.isCooked)
    let second = try Run(folder)
    #expect(second.wait("item 5"), "\(second.screen.text)")
    second.type("c", until: "copied: main/navigation/editor/checklist/item 5")
    second.terminal.type("q")
    #expect(second.terminal.end() == 0)
  }

  @Test(
    "a fatal signal ends the browser with its status, after the terminal is as it was",
    arguments: TestStage.every(3, of: [SIGSEGV, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGQUIT, SIGSYS, SIGXCPU, SIGUSR1]))
  func restoresTheTerminalAfterFatalSignals(_ signal: Int32) throws {
    let folder = try TemporaryFolder()
    let run = try Run(folder)
    run.type("/item 3\r", until: "item 3")
    #expect(run.screen.isAlternate && !run.terminal.isCooked)
    // The key ^\ sends SIGQUIT.
    if signal == SIGQUIT { run.terminal.type("\u{1C}") } else { run.terminal.signal(signal) }
    let farewell = try #require(run.terminal.wait(for: "\u{1B}[?1049l"))
    #expect(farewell.contains("\u{1B}[?2004l") && farewell.contains("\u{1B}[?25h"), "paste and cursor are back too")
    #expect(run.terminal.end() == -signal && run.terminal.isCooked)
    let next = try Run(folder)
    next.terminal.type("q")
    #expect(next.terminal.end() == 0)
  }

  @Test("killed, the browser comes back where it was half a second before; two of them do not disturb each other")
  func survivesKills() throws {
    let folder = try TemporaryFolder()
    let first = try Run(folder)
    first.type("/item 6\r", until: "item 6")
    let second = try Run(folder)
    second.type("/item 2\r", until: "item 2")
    // The file in the store is the evidence that the position is saved.
    let positions = folder.url("positions").path
    func saved(_ identifier: String) -> Bool {
      let names = (try? FileManager.default.subpathsOfDirectory(atPath: positions)) ?? []
      return names.filter { $0.hasSuffix(".rsta") }.contains { name in
        (try? Data(contentsOf: URL(fileURLWithPath: "\(positions)/\(name)")))?.range(of: Data(identifier.utf8)) != nil
      }
    }
    while !saved("item 6") || !saved("item 2") { usleep(5000) }
    for run in [first, second] {
      run.terminal.signal(SIGKILL)
      #expect(run.terminal.end() == -SIGKILL)
    }
    let third = try Run(folder)
    third.type("c", until: "copied: main/navigation/editor/checklist/item 6")
    third.terminal.type("q")
    #expect(third.terminal.end() == 0)
  }

  @Test("without a terminal, and for a file that is not an archive, the tool says so")
  func refuses() throws {
    let folder = try TemporaryFolder()
    try Data(Corpus.bytes(of: "valid/apps/notes.rsta")).write(to: folder.url("notes.rsta"))
    try Data("Dear diary,\n".utf8).write(to: folder.url("letter.txt"))
    let cases: [(file: String, status: Int32, text: String)] = [
      ("notes.rsta", 64, "needs a terminal"), ("letter.txt", 2, "is not an archive"), ("absent.rsta", 74, "no such file"),
      ("-", 64, "needs a FILE"),
    ]
    for (file, status, text) in cases {
      let result = try TestProcess.run("restoration", ["browse", file], in: folder.root, limit: 60)
      #expect(result.status == status && result.error.contains(text), "\(file): \(result.status) \(result.error)")
    }
  }
}
