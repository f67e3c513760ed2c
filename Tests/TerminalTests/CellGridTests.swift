import Terminal
import Testing

@Suite struct CellGridTests {
  @Test("text is clipped to its columns")
  func writes() {
    var grid = CellGrid(width: 8, height: 2)
    #expect(grid.write("abcdefghij", row: 0, columns: 2..<6) == 6)
    #expect(grid.text == "  abcd\n\n")
    #expect(grid.write("漢字漢", row: 1, columns: 0..<5) == 4)
    #expect(grid.text == "  abcd\n漢字\n")
    #expect(grid[1, 1].character == nil)
    grid.write("x", row: 7, columns: -3..<90)
    #expect(grid.text == "  abcd\n漢字\n")
  }

  @Test("no text can move the cursor or change the direction of the text after it")
  func keepsCommandsOut() {
    var grid = CellGrid(width: 12, height: 1)
    grid.write("a\u{1B}[2Jb\u{202E}c\td", row: 0, columns: 0..<12)
    #expect(grid.text == "a·[2Jb·c·d\n")
  }

  @Test("combining marks join the previous character; right-to-left text keeps its order")
  func joins() {
    var grid = CellGrid(width: 6, height: 1)
    grid.write("שלום", row: 0, columns: 0..<6)
    #expect(grid.text == "שלום\n")
    #expect(grid[0, 0].character == "ש")
  }

  @Test(
    "an invisible character that does not join the one before it has a place of its own",
    arguments: ["\u{600}", "\u{600}1", "\u{110BD}", "\u{200B}", "\u{FEFF}", "\u{E0001}"])
  func showsInvisibleCharacters(_ text: String) {
    for before in ["", "a", "漢"] {
      var grid = CellGrid(width: 6, height: 1)
      grid.write(before + text + "b", row: 0, columns: 0..<6)
      // A sign before a number is one character with what follows it.
      #expect(grid.text == before + (text.unicodeScalars.count == 2 ? "·1b\n" : "·b\n"))
    }
    var narrow = CellGrid(width: 6, height: 1)
    #expect(narrow.write("a" + text, row: 0, columns: 0..<1) == 1 && narrow.text == "a\n")
    // A control character is replaced by one that a mark may join.
    narrow.write("\u{7}\u{301}b", row: 0, columns: 0..<6)
    #expect(narrow.text == "·\u{301}b\n")
  }

  @Test("invalid sizes are clamped", arguments: [(0, 0), (-5, 3), (100_000, 2)])
  func clampsSizes(_ width: Int, _ height: Int) {
    let grid = CellGrid(width: width, height: height)
    #expect((1...1000).contains(grid.width) && (1...1000).contains(grid.height))
  }
}

@Suite struct ScreenPainterTests {
  private func grid(_ lines: String...) -> CellGrid {
    var grid = CellGrid(width: 10, height: lines.count)
    for (row, line) in lines.enumerated() { grid.write(line, row: row, columns: 0..<10) }
    return grid
  }

  @Test("the first update sends everything, later ones only changes")
  func sendsChanges() {
    var painter = ScreenPainter()
    #expect(
      painter.sequence(for: grid("hello", "world"))
        == "\u{1B}[?25l\u{1B}[0m\u{1B}[2J\u{1B}[1;1H\u{1B}[0mhello\u{1B}[0m\u{1B}[2;1H\u{1B}[0mworld\u{1B}[0m")
    #expect(painter.sequence(for: grid("hallo", "world")) == "\u{1B}[?25l\u{1B}[1;2H\u{1B}[0ma\u{1B}[0m")
    #expect(painter.sequence(for: grid("hallo", "world")) == "\u{1B}[?25l")
    painter.forget()
    #expect(painter.sequence(for: grid("hallo", "world")).contains("hallo"))
  }

  @Test("a wide character that loses a half is sent as a whole; the cursor comes last")
  func sendsWideCharacters() {
    var painter = ScreenPainter()
    _ = painter.sequence(for: grid("漢字"))
    var next = grid("漢ab")
    next.cursor = (0, 3)
    #expect(painter.sequence(for: next) == "\u{1B}[?25l\u{1B}[1;3H\u{1B}[0mab\u{1B}[0m\u{1B}[1;4H\u{1B}[?25h")
  }

  @Test("incremental painting gives the same screen as painting everything", arguments: 0..<40)
  func agreesWithTerminal(_ seed: Int) {
    var painter = ScreenPainter()
    var screen = PretendedScreen(width: 10, height: 3)
    let texts = ["", "a", "漢字漢字", "hello", "x漢y", "שלום", "0123456789"]
    var number = UInt64(seed) &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    for _ in 0..<20 {
      var grid = CellGrid(width: 10, height: 3)
      for row in 0..<3 {
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        grid.write(texts[Int(number >> 33) % texts.count], row: row, columns: Int(number >> 60) % 4..<10)
      }
      screen.take(painter.sequence(for: grid))
      #expect(screen.text == grid.text, "seed \(seed)")
    }
  }

  @Test("nothing is left of emoji that a terminal does not join, and the text after them is in its place")
  func leavesNothing() {
    var painter = ScreenPainter()
    var screen = PretendedScreen(width: 20, height: 2, joins: false)
    let family = "👩\u{200D}👩\u{200D}👧\u{200D}👦"
    func grid(_ first: String, _ second: String) -> CellGrid {
      var grid = CellGrid(width: 20, height: 2)
      grid.write(first, row: 0, columns: 0..<16)
      grid.write("|", row: 0, columns: 16..<20)
      grid.write(second, row: 1, columns: 0..<20)
      return grid
    }
    screen.take(painter.sequence(for: grid("\(family) family", "row")))
    #expect(screen.text == "👩 family       |\nrow\n")
    // The row moves down, as when a tree is scrolled; then the name changes at its end alone.
    screen.take(painter.sequence(for: grid("row", "\(family) family")))
    #expect(screen.text == "row             |\n👩 family\n")
    screen.take(painter.sequence(for: grid("row", "\(family) famine")))
    #expect(screen.text == "row             |\n👩 famine\n")
    screen.take(painter.sequence(for: grid("row", "")))
    #expect(screen.text == "row             |\n\n")
  }
}

/// A terminal that interprets the painter's output.
private struct PretendedScreen {
  private var rows: [[String]]
  private var place = (row: 0, column: 0)
  /// Whether emoji are joined; some terminals draw each by itself.
  private let joins: Bool

  init(width: Int, height: Int, joins: Bool = true) {
    rows = Array(repeating: Array(repeating: " ", count: width), count: height)
    self.joins = joins
  }

  /// Puts a character into the cells at the place; the rest of a wide character that loses a half is blank.
  private mutating func put(_ text: String, _ columns: Int) {
    for column in place.column..<min(place.column + columns, rows[0].count) {
      if rows[place.row][column].isEmpty { rows[place.row][column - 1] = " " }
      if column + 1 < rows[0].count, rows[place.row][column + 1].isEmpty { rows[place.row][column + 1] = " " }
      rows[place.row][column] = column == place.column ? text : ""
    }
    place.column += columns
  }

  mutating func take(_ text: String) {
    var rest = Substring(text)
    while let character = rest.popFirst() {
      guard character == "\u{1B}" else {
        let parts = joins ? [String(character)] : character.unicodeScalars.filter { $0 != "\u{200D}" }.map { String($0) }
        for part in parts { put(part, TextWidth.columns(of: part)) }
        continue
      }
      let end = rest.firstIndex { $0.isLetter } ?? rest.startIndex
      let body = rest[rest.index(after: rest.startIndex)..<end]
      switch rest[end] {
      case "H":
        let numbers = body.split(separator: ";").compactMap { Int($0) }
        place = (numbers[0] - 1, numbers[1] - 1)
      case "J": for row in rows.indices { rows[row] = Array(repeating: " ", count: rows[row].count) }
      default: break
      }
      rest = rest[rest.index(after: end)...]
    }
  }

  var text: String {
    rows.map { row in
      var line = row.joined()
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}
