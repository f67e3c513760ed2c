import RestorationArchive
import Terminal

/// The screen of the browser, a function of what the browser shows: the tree on the left, the contents on the right.
@MainActor
enum BrowserScreen {
  private static let bar = CellStyle(isInverse: true)
  private static let alarm = CellStyle(isBold: true, color: 203)

  /// The explanation of the keys.
  static let help = [
    "The keys, as in less where it has them:", "",
    "j k  Down Up     one row or line      Tab        to the contents and back",
    "f b  Space PgDn  a screen, d u half   l h        unfold, fold; Right Left",
    "gg G Home End    first and last       Enter      fold; follow a reference",
    "/                search names, types  Backspace  back from a jump",
    "                 and values; /x|y/    *          unfold all below",
    "n N              again, and backward  y          copy the path",
    ":                go to a path or row  Ctrl-L     draw again",
    "] [              next, last finding   ? q        this help, quit", "",
    "A click selects, a second one folds; the wheel moves. Any key goes on.",
  ]

  /// Draws the browser into a grid.
  static func grid(_ browser: ArchiveBrowser, columns: Int, rows: Int) -> CellGrid {
    var grid = CellGrid(width: columns, height: rows)
    browser.height = max(grid.height - 2, 1)
    browser.keepInSight()
    grid.write(title(browser, grid.width), row: 0, columns: 0..<grid.width, style: bar)
    if grid.height > 1 { status(browser, into: &grid) }
    guard grid.height > 2 else { return grid }
    if browser.showsHelp {
      for (row, text) in zip(1..<(grid.height - 1), help) { grid.write(" \(text)", row: row, columns: 0..<grid.width) }
      return grid
    }
    let width = min(max(grid.width * 2 / 5, 16), max(grid.width - 2, 1))
    // The selected row of a deep tree has half of the columns, and all rows keep their places beside it.
    let shift = max(0, Int(browser.row.depth) * 2 - width / 2)
    for (row, place) in zip(1..<(grid.height - 1), browser.top..<browser.tree.rows.count) {
      treeRow(browser, place, row: row, columns: 0..<width, shift: shift, into: &grid)
    }
    for row in 1..<(grid.height - 1) { grid.write("│", row: row, columns: width..<(width + 1), style: CellStyle(isDim: true)) }
    browser.contentsColumn = width
    contents(browser, columns: min(width + 2, grid.width)..<grid.width, into: &grid)
    return grid
  }

  /// The name of the file and the whole path of the selected node, or as much of its end as there is room for.
  private static func title(_ browser: ArchiveBrowser, _ width: Int) -> String {
    guard let path = browser.tree.path(browser.row.node), !path.isEmpty else { return " \(browser.name)" }
    let text = path.displayText
    let name = " \(browser.name.split(separator: "/").last ?? "")  "
    let room = max(width - TextWidth.columns(of: name) - 2, 0)
    // From the end, and no further than there is room: a path may have a quarter of a million characters.
    var (columns, start, fit) = (0, text.endIndex, text.endIndex)
    while start > text.startIndex {
      start = text.index(before: start)
      columns += TextWidth.columns(of: text[start])
      if columns > room { return name + "…" + text[fit...] }
      if columns < room { fit = start }
    }
    return name + text
  }

  private static func status(_ browser: ArchiveBrowser, into grid: inout CellGrid) {
    let row = grid.height - 1
    if let prompt = browser.promptText {
      let end = grid.write(prompt, row: row, columns: 0..<grid.width)
      grid.cursor = (row, min(end, grid.width - 1))
      return
    }
    let place = "\(browser.selected + 1)/\(browser.tree.rows.count)"
    let text = browser.message.isEmpty ? "\(place) \(browser.verdict)  ?: help" : browser.message
    grid.write(" \(text)", row: row, columns: 0..<grid.width, style: bar)
  }

  private static func treeRow(_ browser: ArchiveBrowser, _ place: Int, row: Int, columns: Range<Int>, shift: Int, into grid: inout CellGrid)
  {
    let entry = browser.tree.rows[place]
    let indentation = String(repeating: " ", count: min(max(Int(entry.depth) * 2 - shift, 0), columns.count))
    let isSelected = place == browser.selected
    var style = CellStyle(isInverse: isSelected && browser.part == .tree, color: isSelected ? 75 : nil)
    if isSelected { style.isBold = true }
    let mark = browser.tree.hasChildren(entry) ? (browser.tree.isUnfolded(entry) ? "▾" : "▸") : " "
    let isFaulty = browser.tree.isFaulty(entry)
    if isFaulty { style.color = alarm.color }
    let name = browser.tree.identifier(entry) ?? "(lost: \(entry.error?.rawValue ?? "name"))"
    let end = grid.write("\(indentation)\(mark)\(isFaulty ? "!" : " ")\(name)", row: row, columns: columns, style: style)
    let count = browser.tree.childCount(entry)
    let type = [browser.tree.typeText(entry), count == 0 ? "" : "(\(count))"].filter { !$0.isEmpty }.joined(separator: " ")
    if !type.isEmpty, end + 1 < columns.upperBound {
      style.isDim = true
      grid.write("  \(type)", row: row, columns: end..<columns.upperBound, style: style)
    }
  }

  private static func contents(_ browser: ArchiveBrowser, columns: Range<Int>, into grid: inout CellGrid) {
    browser.linesOnScreen = []
    guard columns.count > 0 else { return }
    var row = 1
    // Lines are wrapped, so the selected one may need a later start than the browser knows.
    var first = browser.topLine
    let needed = (first...max(browser.line, first)).map { place in
      browser.lines.indices.contains(place) ? wrapped(browser.lines[place].text, columns.count).count : 1
    }
    var sum = needed.reduce(0, +)
    for count in needed where sum > grid.height - 2 && first < browser.line {
      sum -= count
      first += 1
    }
    for place in first..<max(browser.lines.count, first) {
      let line = browser.lines[place]
      let isSelected = place == browser.line && browser.part == .contents
      let isFound = place == browser.line && place > 0
      let style = line.isAlarming ? alarm : CellStyle(isBold: isFound, isInverse: isSelected, color: line.target == nil ? nil : 75)
      for text in wrapped(line.text, columns.count) {
        guard row < grid.height - 1 else { return }
        grid.write(text, row: row, columns: columns, style: style)
        browser.linesOnScreen.append(place)
        row += 1
      }
    }
  }

  /// The longest line that is drawn in full.
  private static let longestLine = 4000

  /// Cuts a line into pieces of at most so many columns.
  static func wrapped(_ text: String, _ width: Int) -> [String] {
    var pieces = [""]
    var column = 0
    for character in text.prefix(longestLine) {
      let count = TextWidth.columns(of: character)
      if column + count > width, column > 0 {
        pieces.append("")
        column = 0
      }
      pieces[pieces.count - 1].append(character)
      column += count
    }
    return pieces
  }
}
