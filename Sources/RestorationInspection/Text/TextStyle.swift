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

  /// Marks text as changed.
  package func changed(_ text: String) -> String { mark(text, "33") }

  private func mark(_ text: String, _ code: String) -> String {
    isMarkedUp && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
