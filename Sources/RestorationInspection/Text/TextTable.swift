/// The markup of text for a terminal.
public struct TextStyle: Sendable {
  private let isMarkedUp: Bool

  /// No markup.
  public static let plain = TextStyle(isMarkedUp: false)
  /// Escape sequences that nearly every terminal supports.
  public static let terminal = TextStyle(isMarkedUp: true)

  /// Marks text as secondary.
  package func dim(_ text: String) -> String { mark(text, "2") }

  /// Marks text as prominent.
  package func bold(_ text: String) -> String { mark(text, "1") }

  /// Marks text as a problem.
  package func alarming(_ text: String) -> String { mark(text, "31") }

  /// Marks text as new.
  package func added(_ text: String) -> String { mark(text, "32") }

  /// Marks text as gone.
  package func removed(_ text: String) -> String { mark(text, "31") }

  package func changed(_ text: String) -> String { mark(text, "33") }

  private func mark(_ text: String, _ code: String) -> String {
    isMarkedUp && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// Rows of cells in aligned columns.
///
/// Cells are safe to print. Only the last column may be of any length; the others determine the widths.
struct TextTable {
  struct Column {
    let title: String
    /// Whether the cells are numbers, aligned at the right.
    var isNumber = false
  }

  private let columns: [Column]
  private(set) var rows: [[String]] = []

  init(_ columns: [Column]) {
    self.columns = columns
  }

  /// Adds a row with a cell for each column.
  mutating func add(_ cells: [String]) { rows.append(cells) }

  /// Calls `body` with each line, the titles first.
  func visitLines(_ style: TextStyle, _ body: (String) -> Void) {
    let widths = columns.indices.map { column in max(columns[column].title.count, rows.map { $0[column].count }.max() ?? 0) }
    body(style.dim(line(columns.map(\.title), widths)))
    for row in rows { body(line(row, widths)) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: widths[column] - cell.count)
      line += "  " + (columns[column].isNumber ? padding + cell : column == cells.count - 1 ? cell : cell + padding)
    }
    // The last column may have no title.
    while line.last == " " { line.removeLast() }
    return line
  }
}
