import Terminal

/// The content of a terminal's screen, from the sequences that ``ScreenPainter`` sends.
struct TerminalScreen {
  private var grid: CellGrid
  private var row = 0
  private var column = 0
  private var pending = ""
  /// The texts that the program sent to the clipboard, in Base64.
  private(set) var copied: [String] = []
  /// Whether the program uses the alternate screen.
  private(set) var isAlternate = false

  init(columns: Int, rows: Int) { grid = CellGrid(width: columns, height: rows) }

  var text: String { grid.text }

  mutating func resize(columns: Int, rows: Int) { grid = CellGrid(width: columns, height: rows) }

  mutating func receive(_ text: String) {
    pending += text
    while let first = pending.first {
      if first == "\u{1B}" {
        guard let end = Self.end(of: pending) else { return }
        interpret(pending[pending.index(after: pending.startIndex)..<end])
        pending = String(pending[end...])
      } else {
        // The last character may not be whole yet, but a sequence follows each text.
        guard pending.count > 1 else { return }
        pending.removeFirst()
        guard first != "\r", first != "\n" else { continue }
        column = grid.write(String(first), row: row, columns: column..<(column + TextWidth.columns(of: first)))
      }
    }
  }

  /// Returns the index after the first sequence, or nil if it is not whole.
  private static func end(of text: String) -> String.Index? {
    let body = text.index(after: text.startIndex)
    guard body < text.endIndex else { return nil }
    if text[body] == "]" { return text.firstIndex(of: "\u{07}").map { text.index(after: $0) } }
    return text[text.index(after: body)...].firstIndex { $0.isLetter }.map { text.index(after: $0) }
  }

  private mutating func interpret(_ sequence: Substring) {
    if sequence.hasPrefix("]52;c;") { copied.append(String(sequence.dropFirst(6).dropLast())) }
    if sequence.hasPrefix("[?1049") { isAlternate = sequence.hasSuffix("h") }
    if sequence == "[2J" { grid = CellGrid(width: grid.width, height: grid.height) }
    guard sequence.hasSuffix("H") else { return }
    let numbers = sequence.dropFirst().dropLast().split(separator: ";").compactMap { Int($0) }
    (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
  }
}
