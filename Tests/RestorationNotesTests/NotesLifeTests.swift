import Foundation
import ProcessKit
import PropertyKit
import StateRestoration
import TestStage
import Testing

/// The app as a process: used, stopped, hung up, killed, updated.
///
/// Its state is the same each time, except for the loss that the guide names.
@Suite(.serialized) struct NotesLifeTests {
  /// A run of the app in plain mode.
  private final class Run {
    let process: RunningProcess
    let greeting: [String]?

    convenience init(_ folder: TemporaryFolder, _ options: String...) throws { try self.init(folder, options: options) }

    init(_ folder: TemporaryFolder, options: [String]) throws {
      process = try RunningProcess("restoration", ["notes", "--plain"] + options + ["--", folder.url("notes-app").path])
      var lines: [String]? = []
      while let line = process.readLine(), line != "ok" { lines?.append(line) }
      greeting = lines?.isEmpty == true ? nil : lines
    }

    /// The lines of the answer without the last one, or the line of an error; nil if the process has died.
    func ask(_ command: String) throws -> [String]? {
      try process.writeLine(command)
      var lines: [String] = []
      while let line = process.readLine() {
        if line == "ok" { return lines }
        lines.append(line)
        if line.hasPrefix("error") { return lines }
      }
      return nil
    }

    func end(by signal: Int32) -> Int32 {
      process.signal(signal)
      return process.wait()
    }
  }

  private static let session = [
    "open letter", "move 20", "type Hello 漢字 שלום", "split todo", "scroll 2", "select 2", "new-window other", "open ideas", "type x",
    "day 9", "theme amber",
  ]

  /// A folder with a saved session, and the state that the session shows.
  private func used() throws -> (folder: TemporaryFolder, run: Run, shown: [String]) {
    let folder = try TemporaryFolder()
    let run = try Run(folder)
    for command in Self.session { #expect(try run.ask(command) == [], "\(command)") }
    let shown = try #require(try run.ask("show"))
    #expect(try run.ask("save") == [])
    return (folder, run, shown)
  }

  /// The shown lines without the mark of the front pane: another pane is in front if that one was not restored.
  private static func withoutFront(_ lines: [String]) -> [String] {
    lines.map { $0.hasPrefix("  pane") ? $0.replacing(" front", with: "") : $0 }
  }

  @Test("many edits write a fraction of what whole archives would take; the app has nothing to do for it")
  func writesLittle() throws {
    let (folder, run, _) = try used()
    for note in ["letter", "todo", "ideas"] {
      #expect(try run.ask("open \(note)") == [])
      #expect(try run.ask("type \(String(repeating: "a long draft, not written to the note yet ", count: 100))") == [])
    }
    #expect(try run.ask("save") == [])
    var seen = Set(try Self.files(folder).keys)
    var (written, whole) = (0, 0)
    let count = TestStage.count(100, exhaustive: 1000)
    for edit in 0..<count {
      #expect(try run.ask("select \(1 + edit % 3)") == [])
      #expect(try run.ask("save") == [])
      let files = try Self.files(folder)
      for (name, length) in files where seen.insert(name).inserted { written += length }
      whole += files.values.max() ?? 0
    }
    // In the second stage: 1,000 edits write a twentieth of what whole archives take.
    #expect(10 * written < whole, "\(count) edits wrote \(written) bytes in place of \(whole)")
    #expect(run.end(by: SIGKILL) == -SIGKILL)
    let shown = try Run(folder).ask("show") ?? []
    #expect(shown.joined().contains("a long draft"))
  }

  /// The lengths of the archives and links in the app's folder.
  private static func files(_ folder: TemporaryFolder) throws -> [String: Int] {
    let enumerator = FileManager.default.enumerator(at: folder.url("notes-app"), includingPropertiesForKeys: nil)
    var lengths: [String: Int] = [:]
    while let file = enumerator?.nextObject() as? URL {
      guard file.pathExtension == "rsta", let length = (try? Data(contentsOf: file))?.count else { continue }
      lengths[file.lastPathComponent] = length
    }
    return lengths
  }

  @Test("everything is restored, however the app ends", arguments: [SIGKILL, SIGTERM, SIGINT, SIGHUP])
  func comesBack(_ signal: Int32) throws {
    let (folder, run, shown) = try used()
    #expect(run.end(by: signal) == -signal)
    let next = try Run(folder)
    #expect(next.greeting?.first?.hasPrefix(signal == SIGKILL ? "recover: restored " : "launch: restored ") == true)
    #expect(try next.ask("show") == shown)
    #expect(try next.ask("quit") == [])
    #expect(next.process.wait() == 0)
    #expect(try Run(folder).ask("show") == shown)
  }

  @Test("an answered change is on disk half a second later, without an explicit save")
  func savesByItself() throws {
    let (folder, run, _) = try used()
    let store = folder.url("notes-app/state").path
    let before = try RestorationStore(folder: store, access: .reading).load().archive?.generation
    #expect(try run.ask("type later") == [])
    let shown = try run.ask("show")
    while try RestorationStore(folder: store, access: .reading).load().archive?.generation == before { usleep(10_000) }
    _ = run.end(by: SIGKILL)
    #expect(try Run(folder).ask("show") == shown)
  }

  @Test("when killed at any moment, the app loses nothing that was saved and answered")
  func survivesKills() throws {
    let folder = try TemporaryFolder()
    var random = SeededGenerator(seed: UInt64(TestStage.isExhaustive ? 1 : 2))
    var saved: [String]?
    for round in 0..<TestStage.count(20, exhaustive: 200) {
      let run = try Run(folder)
      let found = try #require(try run.ask("show"), "round \(round): \(run.greeting ?? [])")
      #expect(run.greeting?.first?.contains("offered") == false, "round \(round): one kill is no crash: \(run.greeting ?? [])")
      // Changes after the last save may or may not be there.
      if let saved, found != saved { #expect(found.contains { $0.contains("unsaved") }, "round \(round): \(found)") }
      _ = try run.ask("open note\(random.below(4))")
      _ = try run.ask("type round\(round)")
      #expect(try run.ask("save") == [])
      saved = try run.ask("show")
      for _ in 0..<random.below(3) { try run.process.writeLine("type unsaved") }
      if random.oneIn(2) { usleep(UInt32(random.below(3000))) }
      _ = run.end(by: SIGKILL)
    }
  }

  @Test("an update and a downgrade find everything; a plug-in's state waits while the plug-in is absent")
  func updates() throws {
    let (folder, run, shown) = try used()
    #expect(try run.ask("quit") == [])
    for options in [["--build", "2"], ["--build", "1"], ["--build", "3", "--without-plugin"], ["--build", "3", "--without-plugin"]] {
      let next = try Run(folder, options: options)
      let expected = options.contains("--without-plugin") ? shown.filter { !$0.contains("calendar") } : shown
      #expect(try next.ask("show") == expected)
      #expect(try next.ask("save") == [])
      _ = next.end(by: SIGTERM)
    }
    #expect(try Run(folder).ask("show") == shown)
  }

  @Test("a poisoned note costs one process and the note itself; the next build retries it")
  func isolatesPoison() throws {
    let (folder, run, shown) = try used()
    #expect(try run.ask("poison todo") == [])
    _ = run.end(by: SIGKILL)
    #expect(try Run(folder).greeting == nil, "it traps")
    let next = try Run(folder)
    #expect(next.greeting?.first?.contains("quarantined") == true, "\(next.greeting ?? [])")
    #expect(try next.ask("show").map(Self.withoutFront) == Self.withoutFront(shown.filter { !$0.contains("pane todo") }))
    #expect(try next.ask("save") == [])
    _ = next.end(by: SIGTERM)
    try FileManager.default.removeItem(at: folder.url("notes-app/notes/todo.poison"))
    let mended = try Run(folder, "--build", "2")
    #expect(try mended.ask("show")?.contains { $0.contains("pane todo") } == true)
  }

  @Test("a note deleted while the app was not running is gone, and the others are restored")
  func forgetsDeletedNotes() throws {
    let (folder, run, shown) = try used()
    _ = run.end(by: SIGTERM)
    try FileManager.default.removeItem(at: folder.url("notes-app/notes/todo.txt"))
    #expect(try Run(folder).ask("show").map(Self.withoutFront) == Self.withoutFront(shown.filter { !$0.contains("todo") }))
  }

  @Test("while the folder of the notes cannot be read, their drafts are kept")
  func keepsDraftsOfNotesOutOfReach() throws {
    let (folder, run, shown) = try used()
    _ = run.end(by: SIGTERM)
    let (notes, away) = (folder.url("notes-app/notes"), folder.url("away"))
    try FileManager.default.moveItem(at: notes, to: away)
    try Data().write(to: notes)
    let next = try Run(folder)
    let panes = { (lines: [String]) in lines.filter { $0.contains("pane") } }
    #expect(try next.ask("show").map(panes) == panes(shown))
    #expect(try next.ask("open new")?.last?.hasPrefix("error ") == true)
    _ = next.end(by: SIGTERM)
    try FileManager.default.removeItem(at: notes)
    try FileManager.default.moveItem(at: away, to: notes)
    #expect(try Run(folder).ask("show") == shown)
  }

  @Test("a pane with a draft closes only once the draft is kept or discarded")
  func protectsDrafts() throws {
    let (folder, run, _) = try used()
    #expect(try run.ask("close") == ["error ideas has a draft: keep or discard it first"])
    #expect(try run.ask("discard") == [])
    #expect(try run.ask("close") == [])
    #expect(try run.ask("open ideas") == [])
    #expect(try run.ask("show")?.contains { $0.contains("pane ideas") && $0.contains("draft") } == false)
    withExtendedLifetime(folder) {}
  }

  @Test("a draft does not replace what another program has written since, unless it is kept again")
  func seesOtherPrograms() throws {
    let (folder, run, _) = try used()
    let note = folder.url("notes-app/notes/ideas.txt")
    let draft = try #require(run.ask("show")?.first { $0.contains("pane ideas") && $0.contains("draft") })
    _ = run.end(by: SIGKILL)
    try Data("from elsewhere".utf8).write(to: note)
    let next = try Run(folder)
    #expect(try next.ask("show")?.contains(draft) == true)
    let refusal = "error ideas was changed since the draft was begun; keep again replaces it, discard shows it"
    #expect(try next.ask("keep") == [refusal])
    #expect(try Data(contentsOf: note) == Data("from elsewhere".utf8))
    #expect(try next.ask("keep") == [])
    #expect(try Data(contentsOf: note) != Data("from elsewhere".utf8))
    #expect(try next.ask("type more") == [])
    #expect(try next.ask("keep") == [])
  }

  @Test("a note that is no UTF-8 is not edited, and a name with control characters is shown escaped")
  func refusesOtherText() throws {
    let (folder, run, _) = try used()
    let bytes = Data([0x63, 0x61, 0x66, 0xE9, 0xFF])
    try bytes.write(to: folder.url("notes-app/notes/other.txt"))
    #expect(try run.ask("split other") == [])
    #expect(try run.ask("type x") == ["error other is no text in UTF-8, or cannot be read"])
    #expect(try run.ask("keep") == ["error there is no draft"])
    #expect(try Data(contentsOf: folder.url("notes-app/notes/other.txt")) == bytes)
    try Data().write(to: folder.url("notes-app/notes/\u{1B}[31mred.txt"))
    #expect(try run.ask("show")?.contains("note \\u{1b}[31mred") == true)
  }

  @Test("safe mode makes an offer; accepting restores everything, declining does not; a crash is reported as one")
  func offers() throws {
    let (folder, run, shown) = try used()
    #expect(try run.ask("crash") == nil)
    _ = run.process.wait()
    let safe = try Run(folder, "--safe-mode")
    #expect(try safe.ask("offers")?.count == 1)
    #expect(try safe.ask("show")?.contains { $0.contains("pane") } == false)
    #expect(try safe.ask("accept") == [])
    let accepted = try #require(try safe.ask("show"))
    for line in shown where line.contains("pane") || line.contains("theme") { #expect(accepted.contains(line), "\(line)") }
    #expect(try safe.ask("decline") == [])
    #expect(try safe.ask("decline") == ["error nothing is offered"])
  }

  @Test("113: the previous session is restored at any time after everything was closed by accident")
  func restoresThePreviousSession() throws {
    let (folder, run, shown) = try used()
    #expect(try run.ask("previous") == ["error there is no earlier session"])
    #expect(try run.ask("quit") == [])
    let next = try Run(folder)
    for _ in 0..<2 { #expect(try next.ask("close-window") == []) }
    for number in 1...5 {
      #expect(try next.ask("new-window empty\(number)") == [])
      #expect(try next.ask("save") == [])
    }
    #expect(try next.ask("show")?.contains { $0.contains("pane") } == false)
    #expect(try next.ask("previous") == [])
    let back = try #require(try next.ask("show"))
    for line in shown where line.contains("pane") || line.contains("theme") { #expect(back.contains(line), "\(line)") }
    #expect(back.contains { $0.hasPrefix("window empty5") }, "nothing newer leaves")
    #expect(try next.ask("offers")?.count == 1)
  }

  @Test("114: a closed window is reopened with its text, in the same process, and after a kill right behind the close")
  func reopensClosedWindows() throws {
    let (folder, run, shown) = try used()
    #expect(try run.ask("reopen") == ["error no window was closed"])
    #expect(try run.ask("close-window") == [])
    #expect(try run.ask("show")?.contains { $0.hasPrefix("window other") } == false)
    #expect(try run.ask("reopen") == [])
    #expect(try run.ask("show") == shown)
    #expect(try run.ask("close-window") == [])
    #expect(run.end(by: SIGKILL) == -SIGKILL)
    let next = try Run(folder)
    #expect(try next.ask("show")?.contains { $0.contains("pane ideas") } == false, "it is closed")
    // A new window of the name gets another one, and does not keep the closed one from coming back.
    #expect(try next.ask("new-window other") == [])
    #expect(try next.ask("show")?.contains("window other 2 front") == true)
    #expect(try next.ask("reopen") == [])
    #expect(try next.ask("show")?.contains { $0.contains("pane ideas") } == true)
    #expect(try next.ask("close-window") == [])
    #expect(try next.ask("reopen") == [])
    #expect(try next.ask("close-window") == [])
    #expect(next.end(by: SIGKILL) == -SIGKILL)
    let last = try Run(folder)
    #expect(try last.ask("show")?.contains { $0.contains("pane ideas") } == false)
    // The last window leaves an empty one, which does not have its name.
    for _ in 0..<2 { #expect(try last.ask("close-window") == []) }
    #expect(try last.ask("show")?.contains("window main 2 front") == true)
    for _ in 0..<3 { #expect(try last.ask("reopen") == []) }
    #expect(try last.ask("show")?.filter { $0.hasPrefix("window ") }.count == 4)
    withExtendedLifetime(folder) {}
  }

  @Test("a closed window of which a part cannot be restored stays closed as a whole, and comes back when all of it can")
  func reopensWholeWindows() throws {
    let (folder, run, shown) = try used()
    #expect(try run.ask("close-window") == [])
    #expect(run.end(by: SIGTERM) == -SIGTERM)
    let without = try Run(folder, "--without-plugin")
    for _ in 1...2 { #expect(try without.ask("reopen") == ["error the window could not be restored as a whole, and stays closed"]) }
    #expect(try without.ask("show")?.contains { $0.hasPrefix("window other") } == false)
    #expect(without.end(by: SIGKILL) == -SIGKILL)
    let whole = try Run(folder)
    #expect(try whole.ask("reopen") == [])
    #expect(try whole.ask("show") == shown)
  }

  @Test("two processes never open the same notes; a full disk is reported, and nothing is lost")
  func refuses() throws {
    let (folder, run, shown) = try used()
    let second = try Run(folder)
    #expect(second.greeting?.first?.hasPrefix("error store: in use") == true)
    _ = run.end(by: SIGTERM)
    let path = folder.url("notes-app").path
    let tool = TestProcess.products.appendingPathComponent("restoration").path
    let full = try TestProcess.run(
      "/bin/sh", ["-c", "(trap '' XFSZ; ulimit -f 0; exec '\(tool)' notes --plain -- '\(path)') | cat"],
      input: Data("type lost\nsave\n".utf8), limit: 60)
    #expect(full.text.contains("\nerror store: "), "\(full.text)")
    #expect(try Run(folder).ask("show") == shown)
  }

  @Test("invalid commands are answered with an error, and change nothing")
  func answersMistakes() throws {
    let (folder, run, shown) = try used()
    for line in [
      "", "fly", "open", "open a/b", "open .", "scroll x", "select 99", "theme pink", "delete nothing", "day", "move 99999999999999999999",
    ] {
      #expect(try run.ask(line)?.last?.hasPrefix("error ") == true, "\(line)")
    }
    let after = try #require(try run.ask("show"))
    #expect(after == shown)
    withExtendedLifetime(folder) {}
  }

  @Test("a stopped app has saved and keeps its notes; it continues; killed while stopped, it has not crashed")
  func stops() throws {
    let (folder, run, _) = try used()
    #expect(try run.ask("type before") == [])
    let shown = try run.ask("show")
    for round in 1...2 {
      run.process.signal(SIGTSTP)
      #expect(run.process.waitUntilStopped())
      #expect(try Run(folder).greeting?.first?.hasPrefix("error store: in use") == true)
      if round == 2 { break }
      run.process.signal(SIGCONT)
      #expect(try run.ask("show") == shown)
    }
    #expect(run.end(by: SIGKILL) == -SIGKILL)
    let next = try Run(folder)
    #expect(next.greeting?.first?.hasPrefix("restore: restored ") == true)
    #expect(try next.ask("show") == shown)
  }

  // MARK: On a terminal

  @Test("when killed on a terminal, the app restores text typed half a second before", arguments: 0..<TestStage.count(2, exhaustive: 20))
  func survivesKillsOnTerminal(_ round: Int) throws {
    let folder = try TemporaryFolder()
    let store = folder.url("app/state").path
    let first = try PseudoTerminal("restoration", ["notes", folder.url("app").path])
    #expect(first.wait(for: "pristine") != nil)
    first.type("\t\u{F}")
    for _ in 0...round { first.type("漢") }
    // Everything typed is in the newest file.
    func saved() throws -> Int? {
      try RestorationStore(folder: store, access: .reading).load().archive?.reader.node(at: "main/ideas")?.decoder()
        .decode(Int.self, forKey: "cursor")
    }
    while try saved() != round + 1 { usleep(5000) }
    first.signal(SIGKILL)
    #expect(first.end() == -SIGKILL)
    let second = try PseudoTerminal("restoration", ["notes", folder.url("app").path])
    #expect(second.wait(for: "recover: restored") != nil)
    second.type("\u{11}")
    #expect(second.end() == 0)
  }

  @Test("the app can be used, resized, hung up, interrupted and quit on a terminal, which it leaves as it was")
  func runsOnTerminal() throws {
    let folder = try TemporaryFolder()
    let arguments = ["notes", folder.url("app").path]
    let first = try PseudoTerminal("restoration", arguments)
    #expect(first.wait(for: "pristine") != nil)
    first.type("\t")
    first.type("\u{F}")
    #expect(first.wait(for: "ideas") != nil)
    first.type("zebra漢")
    #expect(first.wait(for: "漢") != nil)
    first.resize(columns: 40, rows: 8)
    first.signal(SIGWINCH)
    #expect(first.wait(for: "zebra") != nil, "everything is drawn anew")
    #expect(!first.isCooked)
    first.signal(SIGTERM)
    #expect(first.wait(for: "\u{1B}[?1049l") != nil)
    #expect(first.end() == -SIGTERM && first.isCooked)

    let second = try PseudoTerminal("restoration", arguments)
    #expect(second.wait(for: "zebra漢") != nil)
    second.hangUp()
    _ = second.end()

    let interrupted = try PseudoTerminal("restoration", arguments)
    #expect(interrupted.wait(for: "zebra漢") != nil)
    interrupted.type("\u{3}")
    #expect(interrupted.wait(for: "\u{1B}[?1049l") != nil)
    #expect(interrupted.end() == -SIGINT && interrupted.isCooked)

    let third = try PseudoTerminal("restoration", arguments)
    #expect(third.wait(for: "launch: restored") != nil)
    third.type("\u{7}")
    #expect(third.wait(for: "quits.") != nil)
    // The key that ends the help is not typed into the note; then everything is drawn again.
    third.type("?\u{C}")
    #expect(third.wait(for: "zebra漢-") != nil)
    third.type("\u{17}\u{C}")
    #expect(third.wait(for: "ideas has a draft: keep or discard it first") != nil)
    third.type("\u{11}")
    #expect(third.wait(for: "\u{1B}[?1049l") != nil)
    #expect(third.end() == 0)
    #expect(third.isCooked)
  }
}
