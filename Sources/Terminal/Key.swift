/// User input from the keyboard.
public enum Key: Sendable, Hashable {
  /// A character, which may consist of several Unicode scalars.
  case character(Character)
  /// A lowercase letter typed with the control key.
  case control(Character)
  /// Pasted text.
  case paste(String)
  case enter, tab, backspace, delete, escape
  case up, down, left, right, home, end, pageUp, pageDown
  /// A click of the first mouse button on a cell of the screen.
  case click(row: Int, column: Int)
  /// A turn of the mouse wheel by some lines, negative for up, while the pointer is on a cell.
  case wheel(lines: Int, row: Int, column: Int)
}
