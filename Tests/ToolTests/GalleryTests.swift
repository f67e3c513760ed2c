import CorpusKit
import Foundation
import ProcessKit
import RestorationArchive
import StateRestoration
import Testing

/// The outputs in the guide "Inspecting saved state" are those of the tool.
///
/// A code block of the guide holds commands, which begin with `$ `, each followed by its output. `BLESS=1` rewrites the
/// outputs.
@Suite struct GalleryTests {
  private static let guide = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Sources/StateRestoration/StateRestoration.docc/Inspecting.md")

  @Test("every output in the guide is real")
  func outputsAreReal() throws {
    let folder = try Self.makeFolder()
    let text = try String(contentsOf: Self.guide, encoding: .utf8)
    var lines: [String] = []
    var isConsole = false
    var commands = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") { isConsole = line == "```console" }
      // Outputs are replaced by what the commands print.
      if !isConsole || line.hasPrefix("```") || line.hasPrefix("$ ") { lines.append(line) }
      if isConsole, line.hasPrefix("$ ") {
        commands += 1
        lines += try Self.output(of: String(line.dropFirst(2)), in: folder)
      }
    }
    let found = lines.joined(separator: "\n")
    if ProcessInfo.processInfo.environment["BLESS"] == "1" { try found.write(to: Self.guide, atomically: true, encoding: .utf8) }
    let expected = try String(contentsOf: Self.guide, encoding: .utf8)
    #expect(found == expected)
    #expect(commands >= 30)
  }

  /// Runs a command line of the guide, and returns what it prints on both streams.
  private static func output(of command: String, in folder: TemporaryFolder) throws -> [String] {
    let path = "\(TestProcess.products.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    let result = try TestProcess.run("/bin/sh", ["-c", "{ \(command)\n} 2>&1"], in: folder.root, environment: ["PATH": path], limit: 60)
    return result.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }

  /// Makes the files that the guide names.
  private static func makeFolder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let browser = try Corpus.bytes(of: "valid/apps/browser-forty-tabs.rsta")
    let later = [UInt8](try Self.later(ArchiveTree(decoding: ArchiveReader(browser))).encoded())
    var damaged = browser
    damaged[damaged.count / 2] ^= 1
    for (name, bytes) in [("browser.rsta", browser), ("later.rsta", later), ("damaged.rsta", damaged)] {
      try Data(bytes).write(to: folder.url(name))
    }
    try Data("# the browser\n(archive): 64 KiB\nwindow-1/tabs/**: 8 KiB\n(each node): 600\n".utf8).write(to: folder.url("sizes.txt"))
    let store = try RestorationStore(folder: folder.url("state").path)
    for bytes in [browser, later] { try store.save(bytes) }
    try makeCases(ArchiveTree(decoding: ArchiveReader(browser)), in: folder)
    return folder
  }

  /// Makes the files of the three cases: a window in which a new build died, a tab with a long history, an empty tab.
  private static func makeCases(_ browser: ArchiveTree, in folder: TemporaryFolder) throws {
    let strip = try #require(browser.nodes[0].children.firstIndex { $0.identifier == "tabs" })
    func place(_ identifier: String) throws -> Int {
      try #require(browser.nodes[0].children[strip].children.firstIndex { $0.identifier == identifier })
    }
    do {
      let store = try RestorationStore(folder: folder.url("crashed").path)
      _ = try store.save(browser.encoded())
      var next = browser
      next.header.bundleVersion = "132.0.0"
      next.header.timestamp = next.header.timestamp?.addingTimeInterval(86_400)
      next.nodes[1].state["layout"] = ["panes": 2]
      _ = try store.save(next.encoded())
    }
    let quarantined: ArchiveDictionary = [
      "archive": "application", "path": "window-2", "builds": ["132.0.0"], "goodLaunches": 1, "failedRetries": 0,
    ]
    let ledger = ArchiveTree(applicationState: ["hasLaunched": true, "quarantined": [.dictionary(quarantined)]])
    try Data(ledger.encoded()).write(to: folder.url("crashed/ledger.rsta"))
    var slow = browser
    let steps = (0..<4000).map { ArchiveValue.string("step \($0): scrolled to \($0 * 37 % 1000)") }
    slow.nodes[0].children[strip].children[try place("t2a8")].state["undo"] = .array(steps)
    try Data(slow.encoded()).write(to: folder.url("slow.rsta"))
    var empty = browser
    let tab = try place("t2b6")
    empty.nodes[0].children[strip].children[tab].state["url"] = nil
    empty.nodes[0].children[strip].children[tab].state["history"] = ["entries": [], "index": 0]
    try Data(empty.encoded()).write(to: folder.url("empty.rsta"))
  }

  /// Returns the session of the browser an hour later: a tab was closed, one renamed, one moved to the other window.
  private static func later(_ browser: ArchiveTree) throws -> ArchiveTree {
    var tree = browser
    tree.header.timestamp = tree.header.timestamp?.addingTimeInterval(3600)
    tree.applicationState["sessionKey"] = "another key"
    tree.applicationState["closedWindows"] = 2
    let strip = try #require(tree.nodes[0].children.firstIndex { $0.identifier == "tabs" })
    let other = try #require(tree.nodes[1].children.firstIndex { $0.identifier == "tabs" })
    let bar = try #require(tree.nodes[0].children.firstIndex { $0.identifier == "address-bar" })
    tree.nodes[0].children[bar].state["text"] = "ferries.example.com/checkout/payment"
    tree.nodes[0].children[strip].children.remove(at: 3)
    tree.nodes[0].children[strip].children[1].identifier = "t9z9"
    let moved = tree.nodes[0].children[strip].children.remove(at: 5)
    tree.nodes[1].children[other].children.append(moved)
    tree.nodes[0].children[strip].children.swapAt(8, 9)
    return tree
  }
}
