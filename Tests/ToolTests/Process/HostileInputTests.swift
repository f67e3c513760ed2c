import CorpusKit
import Foundation
import ProcessKit
import Testing

/// The tool's behavior with inputs that are not files, or have no end (Behaviours 74).
@Suite struct HostileInputTests {
  private let fixture: ToolFixture

  init() throws {
    fixture = try ToolFixture()
  }

  private static let verbs = [
    ["info"], ["tree"], ["get"], ["check"], ["dump"], ["convert"], ["salvage"], ["resolve"], ["sizes"], ["diff"], ["report"],
  ]

  /// Runs a verb, which must end by itself and soon.
  private func run(_ verb: [String], _ file: String, input: String? = nil) throws -> TestProcess.Result {
    var arguments = verb + [file]
    if verb[0] == "get" { arguments = ["get", file, "main"] }
    if verb[0] == "diff" { arguments = ["diff", "small.rsta", file] }
    let result = try fixture.run(arguments, standardInput: input, environment: ["SWIFT_BACKTRACE": "enable=no"], limit: 60)
    #expect(!result.wasKilled, "\(verb): signal \(result.status)")
    return result
  }

  /// Extends a file without using space.
  private func extend(_ name: String, to length: UInt64) throws {
    let file = try FileHandle(forWritingTo: fixture.folder.url(name))
    try file.truncate(atOffset: length)
    try file.close()
  }

  @Test("an archive followed by 900 GB that take no space is read quickly", arguments: verbs)
  func endsAtALongTail(_ verb: [String]) throws {
    try extend("notes.rsta", to: 900_000_000_000)
    let result = try run(verb, "notes.rsta")
    #expect(result.error.contains("900000000000"), "\(result.error)")
    // Verbs that read on demand show the requested part.
    #expect(result.status == (["tree", "get", "resolve"].contains(verb[0]) ? 1 : 2), "\(result.status)")
  }

  @Test("900 GB without content end quickly in an error", arguments: verbs)
  func endsAtNothing(_ verb: [String]) throws {
    try extend("empty.rsta", to: 900_000_000_000)
    let result = try run(verb, "empty.rsta")
    #expect(result.status == 2 && !result.error.isEmpty, "\(result.status) \(result.error)")
  }

  @Test("a device is refused", arguments: verbs)
  func refusesDevices(_ verb: [String]) throws {
    let result = try run(verb, "/dev/zero")
    #expect(result.status == 74)
    #expect(result.error.hasPrefix("restoration: /dev/zero: is a device\n  "))
  }

  @Test("standard input is read up to 256 MiB", arguments: [["info"], ["tree"], ["convert"]])
  func readsSoMuch(_ verb: [String]) throws {
    let result = try run(verb, "-", input: "/dev/zero")
    #expect(result.status == 74)
    #expect(result.error.hasPrefix("restoration: standard input: is longer than 268435456 bytes"))
  }

  @Test("a file works as standard input, and a pipe is read to its end")
  func readsPipes() throws {
    let expected = try run(["info"], "notes.rsta")
    #expect(expected.status == 0)
    #expect(try run(["info"], "-", input: fixture.folder.url("notes.rsta").path).output == expected.output)
    #expect(try run(["info"], "/dev/stdin", input: fixture.folder.url("notes.rsta").path).output == expected.output)
    let script = "cat notes.rsta | \"$0\" info - && cat notes.rsta | \"$0\" tree /dev/stdin"
    let tool = TestProcess.products.appendingPathComponent("restoration").path
    let shell = try TestProcess.run("/bin/sh", ["-c", script, tool], in: fixture.folder.root, limit: 60)
    #expect(shell.output.starts(with: expected.output))
    #expect(shell.status == 0, "\(shell.error)")
  }
}
