import Terminal

/// The app's screen, a pure function of its model.
@MainActor
enum NotesScreen {
  private static let listWidth = 16
  private static let keys = [
    " Tab selects a note, ^O opens it, ^P opens it beside, ^W closes,", " ^N opens a window, ^F goes to the next, ^T changes the theme,",
    " ^S saves the draft, ^X drops it, ^A accepts and ^D declines an offer,",
    " ^R restores the previous session, ^K closes the window, ^U reopens it,",
    " ^G or ? shows these keys, ^L draws again, ^Q quits.",
  ]

  /// Draws the app into a grid.
  static func grid(_ app: NotesApp, status: String, columns: Int, rows: Int, showsKeys: Bool = false) -> CellGrid {
    var grid = CellGrid(width: columns, height: rows)
    let accent = CellStyle(color: ["dark": 75, "amber": 214][app.theme])
    let bar = CellStyle(isInverse: true, color: accent.color)
    let tabs = app.windows.map { $0 === app.window ? "[\($0.name)]" : " \($0.name) " }.joined(separator: " ")
    grid.write(tabs, row: 0, columns: 0..<grid.width, style: bar)
    let end = grid.write(" \(status)", row: grid.height - 1, columns: 0..<grid.width, style: bar)
    if end + 10 < grid.width { grid.write("^G: keys", row: grid.height - 1, columns: (grid.width - 9)..<grid.width, style: bar) }
    guard let window = app.window, grid.height > 3 else { return grid }
    if showsKeys {
      for (row, text) in zip(1..<(grid.height - 1), keys) { grid.write(text, row: row, columns: 0..<grid.width) }
      return grid
    }
    let width = min(listWidth, grid.width / 3)
    list(app, window, into: &grid, columns: 0..<width, accent)
    panes(window, into: &grid, columns: (width + 1)..<max(grid.width, width + 1), accent)
    for row in 1..<(grid.height - 1) { grid.write("│", row: row, columns: width..<(width + 1), style: CellStyle(isDim: true)) }
    return grid
  }

  private static func list(_ app: NotesApp, _ window: NotesWindow, into grid: inout CellGrid, columns: Range<Int>, _ accent: CellStyle) {
    let rows = 1..<(grid.height - 1)
    for (row, name) in zip(rows, app.library.names) {
      let isOpen = window.panes.contains { $0.note == name }
      let style = name == window.list.selected ? CellStyle(isInverse: true) : isOpen ? accent : CellStyle(isDim: true)
      grid.write(" \(name)", row: row, columns: columns, style: style)
    }
    if let calendar = window.calendar { grid.write(" day \(calendar.day)", row: rows.upperBound - 1, columns: columns, style: accent) }
  }

  private static func panes(_ window: NotesWindow, into grid: inout CellGrid, columns: Range<Int>, _ accent: CellStyle) {
    guard !window.panes.isEmpty else {
      grid.write(" Tab selects, ^O opens, ^N window, ^Q quits, ? all keys", row: 1, columns: columns)
      return
    }
    let width = columns.count / window.panes.count
    for (place, editor) in window.panes.enumerated() {
      let start = columns.lowerBound + place * width
      let end = place == window.panes.count - 1 ? columns.upperBound : start + width - 1
      guard start < end else { continue }
      pane(editor, isFront: editor === window.editor, into: &grid, columns: start..<end, accent)
      if end < columns.upperBound {
        for row in 1..<(grid.height - 1) { grid.write("│", row: row, columns: end..<(end + 1), style: CellStyle(isDim: true)) }
      }
    }
  }

  private static func pane(_ editor: Editor, isFront: Bool, into grid: inout CellGrid, columns: Range<Int>, _ accent: CellStyle) {
    var title = accent
    title.isBold = isFront
    grid.write("\(editor.note)\(editor.draft == nil ? "" : " •")", row: 1, columns: columns, style: title)
    let lines = editor.text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (row, line) in zip(2..<(grid.height - 1), lines.dropFirst(editor.scroll)) { grid.write(String(line), row: row, columns: columns) }
    guard isFront else { return }
    let (line, character) = editor.cursorPlace
    let row = 2 + line - editor.scroll
    let column = columns.lowerBound + TextWidth.columns(of: String((lines.indices.contains(line) ? lines[line] : "").prefix(character)))
    if (2..<(grid.height - 1)).contains(row), column < columns.upperBound { grid.cursor = (row, column) }
  }
}
