import Foundation
import ProcessKit
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// On a terminal the tool tells what it does if that takes more than a second, and erases the line before the result.
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
}
