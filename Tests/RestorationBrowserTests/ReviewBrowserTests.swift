import CorpusKit
import Foundation
import ProcessKit
import RestorationArchive
import StateRestoration
import Terminal
import Testing

@testable import RestorationBrowser

/// What a review of the browser found.
@Suite struct ReviewBrowserTests {
  @Test("a position with absurd numbers ends no browser", arguments: [Int.min, -5])
  func startsAtAbsurdPosition(_ line: Int) async throws {
    await #expect(processExitsWith: .success) { [line] in
      try await MainActor.run {
        let folder = try TemporaryFolder()
        let file = folder.url("notes.rsta")
        try Data(Corpus.bytes(of: "valid/apps/notes.rsta")).write(to: file)
        let positions = folder.url("positions").path
        _ = try BrowserProgram(path: file.path, stateFolder: positions)
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: positions).first)
        let state = ArchiveTree(
          nodes: [ArchiveNode("browser", state: ["line": .integer(ArchiveInteger(line)), "isInContents": true, "query": "a", "selectedPath": "main"])])
        try FileManager.default.removeItem(atPath: "\(positions)/\(name)")
        try RestorationStore(folder: "\(positions)/\(name)").save([UInt8](state.encoded()))
        let program = try BrowserProgram(path: file.path, stateFolder: positions)
        // The next match within the contents.
        _ = program.browser.handle(.character("n"))
      }
    }
  }

  @Test("a long path is drawn in little time")
  @MainActor
  func drawsLongPath() throws {
    let name = String(repeating: "\u{1}", count: 1000)
    let bytes = try [UInt8](ArchiveTree(nodes: [ArchiveNode(name)]).encoded())
    let browser = ArchiveBrowser(try ArchiveReader(inspecting: bytes), name: "x", sensitive: .redact)
    _ = browser.handle(.character("j"))
    let time = ContinuousClock().measure { _ = BrowserScreen.grid(browser, columns: 80, rows: 24) }
    #expect(time < .milliseconds(100))
  }
}
