import Foundation
import ProcessKit
import RestorationArchive
import Testing

/// On a terminal the tool shows the progress of what takes more than a second, erases the line before the result, and shows a
/// long result in a pager.
@Suite struct ProgressTests {
  /// Runs `check` on files and then on a pipe, writes an archive into the pipe when the terminal shows `text`, and returns all
  /// that is shown from then on.
  private func check(
    _ files: [String], waitingFor text: String?, _ options: [String] = [], term: String = "xterm", delay: String = "0"
  ) throws -> String {
    let fixture = try ToolFixture()
    let pipe = fixture.folder.url("pipe").path
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    // The paths may fill the screen, and no one is there to leave a pager.
    let terminal = try PseudoTerminal(
      "restoration", ["check"] + options + files.map { fixture.folder.url($0).path } + [pipe],
      environment: ["RESTORATION_PROGRESS_DELAY": delay, "TERM": term, "PAGER": "cat"])
    // The tool waits for the content.
    let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe))
    if let text { #expect(terminal.wait(for: text) != nil) }
    try writer.write(contentsOf: Data(contentsOf: fixture.folder.url("small.rsta")))
    try writer.close()
    let rest = terminal.readAll()
    #expect(terminal.end() == 0)
    return rest
  }

  @Test(
    "the finished part is shown until the result, in a line that is erased",
    arguments: [([], 0), (["small.rsta"], 50), (["small.rsta", "kiosk.rsta", "notes.rsta"], 75)])
  func showsALineUntilTheResult(_ files: [String], _ percentage: Int) throws {
    let rest = try check(files, waitingFor: "\r\u{1B}[Krestoration: checking, \(percentage) %")
    let erased = try #require(rest.range(of: "\r\u{1B}[K", options: .backwards))
    #expect(rest[erased.upperBound...].contains("intact: 2 nodes") && !rest[erased.upperBound...].contains("checking"), "\(rest)")
  }

  @Test("a note is not the result: the line is erased, and appears again after it")
  func goesOnAfterANote() throws {
    let fixture = try ToolFixture()
    let pipe = fixture.folder.url("pipe").path
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    let terminal = try PseudoTerminal(
      "restoration", ["diff", "--no-pager", fixture.folder.url("chain/3.rsta").path, pipe], environment: ["RESTORATION_PROGRESS_DELAY": "0"]
    )
    let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe))
    #expect(terminal.wait(for: "with 2 links\r\n") != nil)
    #expect(terminal.wait(for: "restoration: comparing, ") != nil)
    try writer.write(contentsOf: Data(contentsOf: fixture.folder.url("small.rsta")))
    try writer.close()
    #expect(!terminal.readAll().hasSuffix("\u{1B}[K") && terminal.end() == 1)
  }

  @Test("--quiet and a terminal that cannot erase a line show no progress")
  func showsNoLine() throws {
    for text in [try check([], waitingFor: nil, ["--quiet"]), try check([], waitingFor: nil, term: "dumb")] {
      #expect(text.contains("intact: 2 nodes") && !text.contains("checking") && !text.contains("\u{1B}[K"), "\(text)")
    }
  }

  @Test("any delay can be asked for", arguments: ["9223372036854775807", "86400", "-9223372036854775808", "later"])
  func takesAnyDelay(_ delay: String) throws {
    #expect(try check([], waitingFor: nil, delay: delay).contains("intact: 2 nodes"))
  }

  /// Runs a verb on a terminal of 12 rows, with a pager that marks the lines that it shows; returns all that is shown.
  private func shown(_ arguments: [String], pager: String = "sed s/^/page:/", _ environment: [String: String] = [:]) throws -> String {
    let fixture = try ToolFixture()
    let arguments = arguments.map { $0.hasSuffix(".rsta") ? fixture.folder.url($0).path : $0 }
    let terminal = try PseudoTerminal("restoration", arguments, environment: ["NO_COLOR": "", "PAGER": pager].merging(environment) { $1 })
    let text = terminal.readAll()
    #expect([0, 1].contains(terminal.end()))
    return text
  }

  @Test("text that is longer than the screen is shown in the pager, with the errors that follow")
  func usesAPager() throws {
    let tree = try shown(["tree", "notes.rsta"])
    #expect(
      tree.split(whereSeparator: \.isNewline).count == 25 && tree.split(whereSeparator: \.isNewline).allSatisfy { $0.hasPrefix("page:") })
    let damaged = try shown(["tree", "grown.rsta"])
    #expect(damaged.contains("page:\u{1B}[31mrestoration:\u{1B}[0m ") && damaged.contains("1 byte too many"), "\(damaged)")
  }

  @Test("short text, other output than text, and a user who wants none get no pager")
  func usesNoPager() throws {
    #expect(try !shown(["check", "notes.rsta"]).contains("page:"))
    #expect(try !shown(["tree", "--no-pager", "notes.rsta"]).contains("page:"))
    #expect(try shown(["tree", "notes.rsta"], pager: "cat").hasPrefix("\u{1B}[2m(application)"))
    for pager in ["", "/no/such/program"] { #expect(try shown(["tree", "notes.rsta"], pager: pager).contains("main"), "\(pager)") }
    #expect(try !shown(["tree", "notes.rsta"], ["TERM": "dumb"]).contains("page:"))
    #expect(try shown(["tree", "notes.rsta"], ["NO_COLOR": "1"]).hasPrefix("page:(application)"))
    #expect(try !ToolFixture().run(["tree", "notes.rsta"], environment: ["PAGER": "sed s/^/page:/"]).text.contains("page:"))
  }

  @Test("errors go to a file that standard error leads to, also while the pager runs")
  func keepsErrorsApart() throws {
    let fixture = try ToolFixture()
    let nodes = (0..<4000).map { ArchiveNode("a node with a long name, number \($0)") }
    try (ArchiveTree(nodes: nodes).encoded() + [0]).write(to: fixture.folder.url("many.rsta"))
    let tool = TestProcess.products.appendingPathComponent("restoration").path
    let script = "\"$0\" tree '\(fixture.folder.url("many.rsta").path)' 2> '\(fixture.folder.url("errors").path)'"
    let terminal = try PseudoTerminal("/bin/sh", ["-c", script, tool], environment: ["PAGER": "sed s/^/page:/"])
    let shown = terminal.readAll()
    #expect(terminal.end() == 1 && shown.contains("page:") && !shown.contains("too many"))
    #expect(try String(contentsOf: fixture.folder.url("errors"), encoding: .utf8).contains("1 byte too many"))
  }

  @Test("a pager that is left early ends the tool")
  func endsWithThePager() throws {
    let fixture = try ToolFixture()
    let terminal = try PseudoTerminal(
      "restoration", ["dump", fixture.folder.url("notes.rsta").path], environment: ["PAGER": "head -n 1"])
    #expect(terminal.readAll().split(whereSeparator: \.isNewline).count == 1)
    #expect(terminal.end() == 0)
  }

  @Test("a terminal that cannot place text gets no sequences of a screen", arguments: ["browse", "notes"])
  func refusesDumbTerminals(_ verb: String) throws {
    let fixture = try ToolFixture()
    let operand = fixture.folder.url(verb == "browse" ? "notes.rsta" : "notes").path
    let terminal = try PseudoTerminal("restoration", [verb, operand], environment: ["TERM": "dumb"])
    let text = terminal.readAll()
    #expect(text.contains("\(verb) needs a terminal that can place text") && !text.contains("\u{1B}"), "\(text)")
    #expect(terminal.end() == 64)
  }
}
