import Foundation
import ProcessKit
import Testing

/// On a terminal the tool tells what it does if that takes more than a second, erases the line before the result, and
/// shows a long result in a pager.
@Suite struct ProgressTests {
  @Test func showsALineUntilTheResult() throws {
    let fixture = try ToolFixture()
    let pipe = fixture.folder.url("pipe").path
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    let terminal = try PseudoTerminal("restoration", ["check", pipe])
    // The tool waits for the content, which comes only once its line has appeared.
    let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: pipe))
    #expect(terminal.wait(for: "restoration: checking, 1 s") != nil)
    try writer.write(contentsOf: Data(contentsOf: fixture.folder.url("small.rsta")))
    try writer.close()
    let rest = try #require(terminal.wait(for: "intact: 2 nodes"))
    // Erased before the result.
    let erased = try #require(rest.range(of: "\r\u{1B}[K", options: .backwards))
    #expect(!rest[erased.upperBound...].contains("checking"))
    #expect(terminal.end() == 0)
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

  @Test("a pager that is left early ends the tool")
  func endsWithThePager() throws {
    let fixture = try ToolFixture()
    let terminal = try PseudoTerminal(
      "restoration", ["dump", fixture.folder.url("notes.rsta").path], environment: ["PAGER": "head -n 1"])
    #expect(terminal.readAll().split(whereSeparator: \.isNewline).count == 1)
    #expect([0, 1, -SIGPIPE].contains(terminal.end()))
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
