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
  /// The titles of the columns; the last column may have none.
  let titles: [String]
  /// The columns with numbers, which are aligned at the right.
  let numbers: Range<Int>
  /// The cells, as many in each row as there are columns.
  let rows: [[String]]

  /// Calls `body` with each line, the titles first.
  func visitLines(_ style: TextStyle, _ body: (String) -> Void) {
    let widths = titles.indices.map { column in max(titles[column].count, rows.map { $0[column].count }.max() ?? 0) }
    body(style.dim(line(titles, widths)))
    for row in rows { body(line(row, widths)) }
  }

  private func line(_ cells: [String], _ widths: [Int]) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: widths[column] - cell.count)
      line += "  " + (numbers.contains(column) ? padding + cell : column == cells.count - 1 ? cell : cell + padding)
    }
    while line.unicodeScalars.last == " " { line.unicodeScalars.removeLast() }
    return line
  }
}
