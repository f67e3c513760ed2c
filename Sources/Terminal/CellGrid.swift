/// The appearance of a cell.
public struct CellStyle: Sendable, Hashable {
  /// Whether the text is bold.
  public var isBold: Bool
  /// Whether the text is dimmed.
  public var isDim: Bool
  /// Whether foreground and background are swapped.
  public var isInverse: Bool
  /// The text color, 0 to 255 in the 256-color palette; nil for the terminal's default.
  public var color: UInt8?

  /// Creates a style; the default is plain text.
  public init(isBold: Bool = false, isDim: Bool = false, isInverse: Bool = false, color: UInt8? = nil) {
    self.isBold = isBold
    self.isDim = isDim
    self.isInverse = isInverse
    self.color = color
  }

  /// The escape sequence that switches to this style from any other.
  var sequence: String {
    var codes = ["0"]
    if isBold { codes.append("1") }
    if isDim { codes.append("2") }
    if isInverse { codes.append("7") }
    if let color { codes.append("38;5;\(color)") }
    return "\u{1B}[\(codes.joined(separator: ";"))m"
  }
}

/// A rectangle of character cells: the content of a screen.
public struct CellGrid: Sendable, Hashable {
  /// One character position of a grid.
  public struct Cell: Sendable, Hashable {
    /// The character; nil for the right half of a wide one.
    public var character: Character?
    /// The appearance of the character.
    public var style: CellStyle

    /// Whether terminals disagree about the width of the character.
    var isUncertain: Bool { character.map(TextWidth.isUncertain) ?? false }

    static let empty = Cell(character: " ", style: CellStyle())
  }

  /// The number of columns.
  public let width: Int
  /// The number of rows.
  public let height: Int
  private var cells: [Cell]
  /// The cursor position; nil if the cursor is hidden.
  public var cursor: (row: Int, column: Int)? {
    get { cursorRow.map { ($0, cursorColumn) } }
    set { (cursorRow, cursorColumn) = (newValue?.row, newValue?.column ?? 0) }
  }
  private var cursorRow: Int?
  private var cursorColumn = 0

  /// Creates an empty grid; width and height are clamped to 1 through 1,000.
  public init(width: Int, height: Int) {
    self.width = min(max(width, 1), 1000)
    self.height = min(max(height, 1), 1000)
    cells = Array(repeating: .empty, count: self.width * self.height)
  }

  /// The cell at a position.
  ///
  /// Outside the grid it reads as empty, and setting it has no effect.
  public subscript(row: Int, column: Int) -> Cell {
    get { contains(row, column) ? cells[row * width + column] : .empty }
    set { if contains(row, column) { cells[row * width + column] = newValue } }
  }

  private func contains(_ row: Int, _ column: Int) -> Bool { row >= 0 && row < height && column >= 0 && column < width }

  /// Writes text on one row, and fills the rest of `columns` with spaces.
  ///
  /// A wide character that does not fit is omitted. A control character is shown as `·`, and so is an invisible one that does
  /// not join the character before it. Right-to-left text stays in logical order: terminals reorder it themselves.
  ///
  /// - Returns: The column after the text.
  @discardableResult
  public mutating func write(_ text: String, row: Int, columns: Range<Int>, style: CellStyle = CellStyle()) -> Int {
    let columns = columns.clamped(to: 0..<width)
    var column = columns.lowerBound
    line: for character in text {
      if column > columns.lowerBound, TextWidth.columns(of: character) == 0, let before = self[row, column - 1].character {
        let joined = String(before) + String(character)
        if joined.count == 1 {
          self[row, column - 1].character = Character(joined)
          continue
        }
      }
      for shown in TextWidth.shown(character) {
        let count = TextWidth.columns(of: shown)
        guard column + count <= columns.upperBound else { break line }
        self[row, column] = Cell(character: shown, style: style)
        if count == 2 { self[row, column + 1] = Cell(character: nil, style: style) }
        column += count
      }
    }
    for rest in column..<columns.upperBound { self[row, rest] = Cell(character: " ", style: style) }
    return column
  }

  /// The rows as text without trailing spaces: the visible content, except for colors.
  public var text: String {
    (0..<height).map { row in
      var line = String((0..<width).compactMap { self[row, $0].character })
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }.joined()
  }
}

/// Updates a terminal from one grid to the next with few bytes.
public struct ScreenPainter: Sendable {
  private var shown: CellGrid?

  /// Creates a painter for a screen of unknown content.
  public init() {}

  /// Returns the escape sequences that make the terminal show `grid`.
  ///
  /// Only the runs of changed cells are sent. A row with a character whose width is uncertain is sent as a whole, and the
  /// place after that character is stated, so that nothing is left of it on a terminal that draws it wider.
  public mutating func sequence(for grid: CellGrid) -> String {
    let isSameSize = shown.map { $0.width == grid.width && $0.height == grid.height } ?? false
    var text = isSameSize ? "\u{1B}[?25l" : "\u{1B}[?25l\u{1B}[0m\u{1B}[2J"
    let before = isSameSize ? shown : nil
    for row in 0..<grid.height { text += changes(grid, before ?? CellGrid(width: grid.width, height: grid.height), row) }
    if let cursor = grid.cursor { text += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h" }
    shown = grid
    return text
  }

  /// Forgets the shown content, so that the next update repaints everything.
  public mutating func forget() { shown = nil }

  private func changes(_ grid: CellGrid, _ before: CellGrid, _ row: Int) -> String {
    let columns = 0..<grid.width
    let isUncertain = columns.contains { grid[row, $0].isUncertain || before[row, $0].isUncertain }
    let sendsAll = isUncertain && columns.contains { grid[row, $0] != before[row, $0] }
    var text = ""
    var style: CellStyle?
    var column = 0
    while column < grid.width {
      guard sendsAll || grid[row, column] != before[row, column] else {
        column += 1
        style = nil
        continue
      }
      // The right half of a wide character is sent with its left half.
      if grid[row, column].character == nil, column > 0 { column -= 1 }
      if style == nil { text += "\u{1B}[\(row + 1);\(column + 1)H" }
      let cell = grid[row, column]
      if cell.style != style { text += cell.style.sequence }
      style = cell.isUncertain ? nil : cell.style
      text.append(cell.character ?? " ")
      column += 1
      while column < grid.width, grid[row, column].character == nil { column += 1 }
    }
    return text.isEmpty ? "" : text + "\u{1B}[0m"
  }
}

/// The number of columns that text occupies on a terminal.
public enum TextWidth {
  /// Returns the columns of a character: 0 if it only combines or is invisible, 2 if it is wide, else 1.
  ///
  /// A character that a terminal would interpret, such as a control character, counts as 1: it is shown as a
  /// placeholder.
  public static func columns(of character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if isControl(character) { return 1 }
    if isInvisible(first) { return 0 }
    // A variation selector requests emoji presentation, which is wide.
    if isWide(first) || character.unicodeScalars.contains("\u{FE0F}") { return 2 }
    return 1
  }

  /// Returns the columns of text on one line.
  public static func columns(of text: String) -> Int { text.reduce(0) { $0 + columns(of: $1) } }

  /// Whether terminals disagree about the width of a character: emoji, which some do not join, and other clusters.
  static func isUncertain(_ character: Character) -> Bool {
    guard let first = character.unicodeScalars.first, !first.isASCII || character.unicodeScalars.count > 1 else { return false }
    return character.unicodeScalars.count > 1 || first.properties.isEmojiPresentation
  }

  /// Whether a terminal would interpret a character: controls, line breaks, and marks that change the text direction.
  static func isControl(_ character: Character) -> Bool {
    character.unicodeScalars.contains { scalar in
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
  }

  /// Returns the visible form of a character: itself, or `·` for a control character and for an invisible one, which may be the
  /// beginning of one that is visible, such as a sign before a number.
  static func shown(_ character: Character) -> [Character] {
    if isControl(character) { return ["·"] }
    guard columns(of: character) == 0 else { return [character] }
    var rest = String.UnicodeScalarView()
    rest.append(contentsOf: character.unicodeScalars.drop(while: isInvisible))
    return ["·"] + String(rest)
  }

  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: true
    default: false
    }
  }

  /// Whether a scalar is East Asian wide or full-width, or an emoji with a picture by default.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF, 0xA960...0xA97F,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18AFF, 0x1B000...0x1B2FF,
      0x20000...0x3FFFD:
      true
    default: scalar.properties.isEmojiPresentation
    }
  }
}
