import Foundation
import ProcessKit
import StateRestoration
import Terminal
import Testing

@testable import RestorationNotes

@MainActor
@Suite struct NotesScreenTests {
  private static func app() throws -> (NotesApp, TemporaryFolder) {
    let folder = try TemporaryFolder()
    let app = NotesApp(try NoteLibrary(folder: folder.url("notes")), hasCalendar: true)
    app.openWindow("main")
    try app.open("letter", inNewPane: false)
    app.editor?.move(100)
    try app.editor?.type("survives kill -9.")
    try app.open("ideas", inNewPane: true)
    app.openWindow("second")
    app.frontWindow = "main"
    return (app, folder)
  }

  @Test("the app draws the screen that the guide shows")
  func isTheGuides() throws {
    let (app, folder) = try Self.app()
    let grid = NotesScreen.grid(app, status: "recover: restored 7 of 7", columns: 64, rows: 10)
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let guide = try String(
      contentsOf: root.appendingPathComponent("Sources/StateRestoration/StateRestoration.docc/ANotesApp.md"), encoding: .utf8)
    #expect(guide.contains("```\n\(grid.text)```"), "\(grid.text)")
    withExtendedLifetime(folder) {}
  }

  @Test("all keys are on the screen at 80 columns, and how to see them")
  func showsKeys() throws {
    let folder = try TemporaryFolder()
    let app = NotesApp(try NoteLibrary(folder: folder.url("notes")), hasCalendar: true)
    app.openWindow("main")
    let empty = NotesScreen.grid(app, status: "restored", columns: 80, rows: 24).text
    #expect(empty.contains("Tab selects, ^O opens, ^N window, ^Q quits, ? all keys") && empty.contains("^G: keys"), "\(empty)")
    let keys = NotesScreen.grid(app, status: "restored", columns: 80, rows: 24, showsKeys: true).text
    for key in ["Tab", "^O", "^P", "^W", "^N", "^F", "^T", "^S", "^X", "^A", "^D", "^G", "^L", "^Q"] {
      #expect(keys.contains("\(key) "), "\(key)")
    }
    #expect(keys.contains("^Q quits."))
  }

  @Test("the app draws at any size, with the cursor on the screen", arguments: [(1, 1), (3, 4), (20, 5), (80, 24), (500, 100)])
  func fits(_ columns: Int, _ rows: Int) throws {
    let (app, folder) = try Self.app()
    let grid = NotesScreen.grid(app, status: "restored", columns: columns, rows: rows)
    #expect(grid.width == columns && grid.height == rows)
    if let cursor = grid.cursor { #expect(cursor.row < rows && cursor.column < columns) }
    withExtendedLifetime(folder) {}
  }

  @Test("positions of a file end no app, whatever they are", arguments: [Int.min, -1, Int.max])
  func restoresAnyPosition(_ number: Int) async throws {
    await #expect(processExitsWith: .success) { [number] in try await NotesScreenTests.draw(restoring: number) }
  }

  private static func draw(restoring number: Int) throws {
    let (saved, folder) = try app()
    for pane in saved.windows.flatMap(\.panes) { (pane.cursor, pane.scroll) = (number, number) }
    let before = RestorableTree(roots: saved.windows)
    try before.startFresh()
    let archive = try #require(try before.preserve(header: ArchiveHeader()).archive)
    let app = NotesApp(saved.library, hasCalendar: true)
    let resolver = try Resolver {
      Factory(NotesWindow.self) { node in app.makeWindow(node.identifier) }
      Factory(Editor.self) { node in Editor(node.identifier, in: saved.library) }
      Factory(Calendar.self) { _ in Calendar() }
    }
    let report = try RestorableTree(roots: { app.windows }).restore(from: ArchiveReader(archive), with: resolver)
    #expect(report.decision == .restore && app.windows.map(\.panes.count) == [2, 0])
    _ = NotesScreen.grid(app, status: "", columns: 80, rows: 24)
    app.editor?.scroll += 5
    app.editor?.move(1, lines: 1)
    try app.editor?.type("x")
    _ = NotesScreen.grid(app, status: "", columns: 80, rows: 24)
    withExtendedLifetime(folder) {}
  }

  @Test("a note whose lines end like those of Windows has as many lines, for the cursor too")
  func splitsLines() throws {
    let (app, folder) = try Self.app()
    let library = app.library
    try library.write("one\r\ntwo\r\nthree", to: "letter")
    #expect(throws: (any Error).self, "a note that exists is not emptied") { try library.create("letter") }
    let editor = Editor("letter", in: library)
    editor.move(0, lines: 2)
    #expect(editor.cursorPlace == (2, 0) && editor.cursor == 8)
    try app.open("letter", inNewPane: false)
    app.editor?.draft = nil
    let rows = NotesScreen.grid(app, status: "", columns: 80, rows: 10).text.split(separator: "\n")
    for (row, text) in zip(2..<5, ["one", "two", "three"]) { #expect(rows[row].contains("│\(text) "), "\(rows[row])") }
    withExtendedLifetime(folder) {}
  }

  @Test("the guide quotes the source, and glue and app stay within their line counts")
  func quotes() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    func text(_ path: String) throws -> String { try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) }
    let guide = try text("Sources/StateRestoration/StateRestoration.docc/ANotesApp.md")
    let folder = root.appendingPathComponent("Sources/RestorationNotes").path
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder).map { try text("Sources/RestorationNotes/\($0)") }
    for block in guide.components(separatedBy: "```swift\n").dropFirst().map({ $0.components(separatedBy: "```")[0] }) {
      let isThere = sources.contains { source in
        [0, 2, 4].contains { indent in
          let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
          return source.contains(lines.map { $0.isEmpty ? "" : String(repeating: " ", count: indent) + $0 }.joined(separator: "\n"))
        }
      }
      #expect(isThere, "\(block)")
    }
    let program = try text("Sources/RestorationNotes/NotesProgram.swift")
    let glue = program.components(separatedBy: "// Guide: glue begins.\n")[1].components(separatedBy: "// Guide: glue ends.")[0]
    #expect(glue.split(separator: "\n").count <= 15)
    #expect(sources.reduce(0) { $0 + $1.split(separator: "\n", omittingEmptySubsequences: false).count } <= 650)
  }
}
