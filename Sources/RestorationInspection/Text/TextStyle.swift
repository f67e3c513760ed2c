/// Whether text is marked up for a terminal.
public struct TextStyle: Sendable {
  private let isMarkedUp: Bool

  /// Text and nothing else.
  public static let plain = TextStyle(isMarkedUp: false)
  /// Text with the escape sequences that nearly every terminal knows.
  public static let terminal = TextStyle(isMarkedUp: true)

  /// Text that matters less than what stands beside it.
  public func dim(_ text: String) -> String { mark(text, "2") }

  /// Text that is to be seen first.
  public func bold(_ text: String) -> String { mark(text, "1") }

  /// What is wrong.
  public func alarming(_ text: String) -> String { mark(text, "31") }

  private func mark(_ text: String, _ code: String) -> String {
    isMarkedUp && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
