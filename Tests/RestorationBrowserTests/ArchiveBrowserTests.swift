import CorpusKit
import Foundation
import ProcessKit
import RestorationArchive
import RestorationInspection
import StateRestoration
import Terminal
import TestStage
import Testing

@testable import RestorationBrowser

/// The browser as a model and as a screen, without a terminal.
@MainActor
@Suite struct ArchiveBrowserTests {
  private static func browser(_ bytes: [UInt8], checked: Bool = true) throws -> ArchiveBrowser {
    let browser = ArchiveBrowser(try ArchiveReader(inspecting: bytes), name: "notes.rsta", sensitive: .redact)
    if checked { browser.show(ArchiveCheck(bytes)) }
    return browser
  }

  private static func notes() throws -> ArchiveBrowser { try browser(Corpus.bytes(of: "valid/apps/notes.rsta")) }

  /// Types text; `\r` is Enter, `\t` is Tab, and `→ ← ⌫` are the keys with these signs.
  private static func type(_ text: String, _ browser: ArchiveBrowser) {
    let keys: [Character: Key] = ["\r": .enter, "\t": .tab, "→": .right, "←": .left, "⌫": .backspace, "⎋": .escape]
    for character in text { _ = browser.handle(keys[character] ?? .character(character)) }
  }

  private static func path(_ browser: ArchiveBrowser) -> String? { browser.tree.path(browser.row.node)?.description }

  @Test("the browser draws the tree and the contents, with sensitive values masked")
  func draws() throws {
    let browser = try Self.notes()
    Self.type("j→", browser)
    #expect(
      BrowserScreen.grid(browser, columns: 72, rows: 10).text == """
         notes.rsta  main
        ▾ (application)  (2)        │ type: Scene 0
          ▾ main  Scene (2)         │ children: 2
            ▸ navigation  Navigation│ state: 41 bytes
              share-sheet  Sheet    │
          ▸ quick-note  Scene (1)   │ activationState: "foreground"
                                    │ badge: 3
                                    │ keyboardHeight: 291.0
                                    │ orientation: "portrait"
         2/5 intact  ?: help

        """)
    Self.type("k", browser)
    #expect(browser.lines.contains { $0.text == "unlockToken: <sensitive, up to 16 bytes of text>" })
  }

  @Test("the browser draws the screen that the guide shows")
  func isTheGuides() throws {
    let bytes = try Corpus.bytes(of: "valid/apps/browser-forty-tabs.rsta")
    let browser = ArchiveBrowser(try ArchiveReader(inspecting: bytes), name: "browser.rsta", sensitive: .redact)
    browser.show(ArchiveCheck(bytes))
    Self.type("/Ferry\r", browser)
    let screen = BrowserScreen.grid(browser, columns: 76, rows: 14).text
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appendingPathComponent("Sources/StateRestoration/StateRestoration.docc/Inspecting.md"), encoding: .utf8)
    let isThere = guide.contains("```\n\(screen)```")
    #expect(isThere, "\(screen)")
  }

  @Test("keys move, fold and unfold as the help says")
  func moves() throws {
    let browser = try Self.notes()
    let steps: [(keys: String, path: String)] = [
      ("j", "main"), ("→", "main"), ("→", "main/navigation"), ("→→", "main/navigation/folders"), ("←", "main/navigation"),
      ("←", "main/navigation"), ("←", "main"), ("gg", ""), ("G", "quick-note"), ("k", "main/share-sheet"), ("<", ""),
      ("*G", "quick-note/editor"),
      ("←", "quick-note"), ("\r", "quick-note"), ("j", "quick-note"), ("g", "quick-note"), ("k", "main/share-sheet"), ("gg", ""),
      ("jlll", "main/navigation/folders"), ("hh", "main/navigation"), ("hh", "main"), (":quick-note/editor\r", "quick-note/editor"),
      (":1\r", ""), (":99999\r", "quick-note/editor"), (":\r", "quick-note/editor"), (":nowhere\r", "quick-note/editor"), ("gg*", ""),
    ]
    for (keys, path) in steps {
      Self.type(keys, browser)
      #expect(Self.path(browser) == path, "after \(keys)")
    }
    #expect(browser.tree.rows.count > 5)
  }

  @Test("a search finds names and types, forward, backward and around, and keeps the way back")
  func searches() throws {
    let browser = try Self.notes()
    Self.type("/item 3\r", browser)
    #expect(Self.path(browser) == "main/navigation/editor/checklist/item 3")
    Self.type("n", browser)
    #expect(Self.path(browser)?.hasSuffix("item 3") == true, "the only one is found again")
    Self.type("/ITEM\r", browser)
    #expect(Self.path(browser)?.hasSuffix("item 4") == true)
    Self.type("NN", browser)
    #expect(Self.path(browser)?.hasSuffix("item 2") == true)
    Self.type("/PhotoAttachment\r", browser)
    #expect(Self.path(browser)?.hasSuffix("photo-0412") == true)
    Self.type("/no such thing\r", browser)
    #expect(browser.message == "not found: no such thing")
    Self.type("//(/\r", browser)
    #expect(Self.path(browser)?.hasSuffix("photo-0412") == true && browser.message == "/(/: a ( without its )")
    Self.type("⌫⌫⌫⌫⌫⌫⌫", browser)
    #expect(Self.path(browser) == "" && browser.message == "no jump to go back from")
    Self.type("/abc⎋", browser)
    #expect(browser.promptText == nil)
    Self.type("\t/lastsync\r", browser)
    #expect(browser.lines[browser.line].text.hasPrefix("lastSync"))
  }

  @Test("any text can be typed, also invisible characters")
  func showsWhatIsTyped() throws {
    let browser = try Self.notes()
    Self.type("/a\u{600}b\u{200B}c", browser)
    #expect(BrowserScreen.grid(browser, columns: 72, rows: 10).text.hasSuffix("a·b·c\n"))
  }

  @Test("a search finds values, and shows the line; not those that are masked")
  func searchesValues() throws {
    let browser = try Self.notes()
    Self.type("/cat sitter\r", browser)
    #expect(Self.path(browser) == "main/navigation/editor/checklist/item 3")
    #expect(browser.lines[browser.line].text == "text: \"Cat sitter: keys + vet number\"")
    Self.type("//rain|scarf/\r", browser)
    #expect(Self.path(browser) == "main/navigation/editor/checklist/item 5")
    let archive = try ArchiveReader(Corpus.bytes(of: "valid/apps/notes.rsta"))
    guard case .string(let secret)? = try archive.application().state()["unlockToken"] else {
      Issue.record("no such value")
      return
    }
    Self.type("gg/\(secret)\r", browser)
    #expect(browser.message == "not found: \(secret)")
  }

  @Test("the title has the whole path, or its end; a deep tree keeps the places of its rows")
  func showsDeepTrees() throws {
    var node = ArchiveNode("level-40")
    for level in (0..<40).reversed() { node = ArchiveNode("level-\(level)", children: [node]) }
    let browser = try Self.browser([UInt8](ArchiveTree(nodes: [node]).encoded()))
    Self.type("*G", browser)
    let rows = BrowserScreen.grid(browser, columns: 60, rows: 8).text.split(separator: "\n")
    #expect(rows[0].hasPrefix(" notes.rsta  …") && rows[0].hasSuffix("level-38/level-39/level-40"))
    let starts = rows.dropFirst().prefix(6).map { row in row.prefix { $0 == " " }.count }
    // The last row has no mark, and room for one.
    #expect(starts.map { $0 - starts[0] } == [0, 2, 4, 6, 8, 12], "\(rows)")
    #expect(rows[6].contains("level-40"))
  }

  @Test("a click selects, the next one folds; the wheel moves the part that it is on")
  func usesTheMouse() throws {
    let browser = try Self.notes()
    _ = BrowserScreen.grid(browser, columns: 72, rows: 10)
    for (key, path, count) in [
      (Key.click(row: 2, column: 3), "main", 3), (.click(row: 2, column: 3), "main", 5), (.click(row: 2, column: 3), "main", 3),
      (.click(row: 9, column: 3), "main", 3), (.click(row: 0, column: 3), "main", 3),
      (.wheel(lines: 3, row: 4, column: 2), "quick-note", 3),
      (.wheel(lines: -3, row: 4, column: 2), "", 3),
    ] {
      _ = browser.handle(key)
      #expect(Self.path(browser) == path && browser.tree.rows.count == count, "\(key)")
    }
    _ = BrowserScreen.grid(browser, columns: 72, rows: 10)
    _ = browser.handle(.click(row: 4, column: 40))
    #expect(browser.part == .contents && browser.line == 3)
    _ = browser.handle(.wheel(lines: 3, row: 4, column: 40))
    #expect(browser.line == 6)
    _ = browser.handle(.wheel(lines: 3, row: 4, column: 2))
    #expect(browser.part == .tree)
  }

  @Test("? shows the keys, which fit into 76 columns and 24 rows")
  func helps() throws {
    let browser = try Self.notes()
    Self.type("?", browser)
    let help = BrowserScreen.grid(browser, columns: 76, rows: 24).text
    for line in BrowserScreen.help where !line.isEmpty { #expect(help.contains(line) && line.count < 76) }
    Self.type("j", browser)
    #expect(!browser.showsHelp && Self.path(browser) == "", "the key that ends the help does nothing else")
  }

  @Test("a reference leads to its node and back; the path goes to the clipboard")
  func follows() throws {
    let browser = try Self.notes()
    Self.type("\t/visibleScene\r\r", browser)
    #expect(Self.path(browser) == "main")
    let (continues, text) = browser.handle(.character("y"))
    #expect(continues && text == "\u{1B}]52;c;\(Data("main".utf8).base64EncodedString())\u{07}")
    Self.type("⌫", browser)
    #expect(Self.path(browser) == "")
    Self.type("\r", browser)
    #expect(browser.message == "this line is not a reference")
    #expect(browser.handle(.character("q")).continues == false)
    let tree = ArchiveTree(applicationState: ["front": .reference("nowhere")])
    let broken = try Self.browser([UInt8](tree.encoded()))
    Self.type("\t/broken\r\r", broken)
    #expect(broken.lines[broken.line].text == "front: -> nowhere  (broken reference)" && broken.message == "there is no node at nowhere")
  }

  @Test("damage is marked in the tree, and ] goes from one faulty node to the next")
  func marksDamage() throws {
    let browser = try Self.browser(Corpus.bytes(of: "damaged/block-of-states.hex"))
    #expect(browser.verdict.contains("finding"))
    Self.type("]", browser)
    #expect(browser.tree.isFaulty(browser.row), "\(Self.path(browser) ?? "-")")
    #expect(browser.lines.contains { $0.isAlarming })
    let screen = BrowserScreen.grid(browser, columns: 80, rows: 20).text
    #expect(screen.contains("!") && screen.contains("(state lost: block-damaged)"), "\(screen)")
    Self.type("gg", browser)
    let sound = try Self.notes()
    Self.type("]", sound)
    #expect(sound.message == "no node has a finding")
  }

  @Test(
    "the browser walks through every file of the corpus, at any size of the screen",
    arguments: TestStage.every(7, of: try Corpus.files { TestStage.isExhaustive || $0.bytes.count <= 8192 }))
  func walksThroughAll(_ file: CorpusFile) throws {
    let bytes = file.bytes
    guard let archive = try? ArchiveReader(inspecting: bytes) else { return }
    let browser = ArchiveBrowser(archive, name: "x", sensitive: .redact)
    browser.show(ArchiveCheck(bytes))
    for (place, keys) in ["*", "G", "kkk", "\tjjj\r", "←g", "]", "[", "/a\r", "n", "ff", "←←←", "?", "bd", "u\t\t", ":3\r", "hl", "gg"]
      .enumerated()
    {
      Self.type(keys, browser)
      let (columns, rows) = [(80, 24), (1, 1), (20, 3), (7, 40)][place % 4]
      let grid = BrowserScreen.grid(browser, columns: columns, rows: rows)
      #expect(grid.width == columns && grid.height == rows)
      #expect(browser.tree.rows.indices.contains(browser.selected))
    }
  }

  @Test("the positions of the files browsed last are kept; what is no position is left alone")
  func forgetsOldest() throws {
    let folder = try TemporaryFolder()
    for number in 0..<6 {
      let path = folder.url("000000000000000\(number)").path
      try RestorationStore(folder: path).save([UInt8](ArchiveTree(nodes: [ArchiveNode("a")]).encoded()))
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: Double(number))], ofItemAtPath: path)
    }
    // Folders of others, three of them with names like those of positions.
    let others = ["0000000000000006", "0000000000000007-photos", "000000000000000A", "photos"]
    for name in others {
      try FileManager.default.createDirectory(at: folder.url(name), withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: folder.url("\(name)/photo.jpg"))
    }
    // A user's file beside the files of a store.
    try Data("mine".utf8).write(to: folder.url("0000000000000002/photo.jpg"))
    let inUse = try RestorationStore(folder: folder.url("0000000000000001").path)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: folder.url("0000000000000001").path)
    BrowserProgram.forgetOldest(in: folder.root.path, keeping: 2)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.root.path).sorted()
    #expect(left == (["0000000000000001", "0000000000000002", "0000000000000004", "0000000000000005"] + others).sorted())
    for name in others { #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url(name).path) == ["photo.jpg"]) }
    #expect(try RestorationStore(folder: folder.url("0000000000000002").path, access: .reading).generations().count == 1)
    #expect(try inUse.generations().count == 1)
  }

  @Test("long lines are wrapped to the width, wide characters whole")
  func wraps() {
    #expect(BrowserScreen.wrapped("abcdef", 4) == ["abcd", "ef"])
    #expect(BrowserScreen.wrapped("a漢字b", 3) == ["a漢", "字b"])
    #expect(BrowserScreen.wrapped("", 3) == [""])
    #expect(BrowserScreen.wrapped("漢", 1) == ["漢"])
  }

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
        var position: ArchiveDictionary = ["isInContents": true, "query": "a", "selectedPath": "main"]
        position["line"] = .integer(ArchiveInteger(line))
        let state = ArchiveTree(nodes: [ArchiveNode("browser", state: position)])
        try FileManager.default.removeItem(atPath: "\(positions)/\(name)")
        try RestorationStore(folder: "\(positions)/\(name)").save([UInt8](state.encoded()))
        let program = try BrowserProgram(path: file.path, stateFolder: positions)
        // The next match within the contents.
        _ = program.browser.handle(.character("n"))
      }
    }
  }

  @Test("of a path whose characters are escaped, the end that fits is drawn")
  func drawsLongPath() throws {
    let bytes = try [UInt8](ArchiveTree(nodes: [ArchiveNode(String(repeating: "\u{1}", count: 1000))]).encoded())
    let browser = ArchiveBrowser(try ArchiveReader(inspecting: bytes), name: "x", sensitive: .redact)
    _ = browser.handle(.character("j"))
    let title = BrowserScreen.grid(browser, columns: 80, rows: 24).text.prefix { $0 != "\n" }
    let text = try #require(browser.tree.path(browser.row.node)).displayText
    #expect(title.hasPrefix(" x  …") && text.hasSuffix(title.dropFirst(5)))
    #expect(title.count == 78)
  }
}
