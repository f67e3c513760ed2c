/// Standard error as a stream, for text while standard output carries another result.
struct StandardError: TextOutputStream {
  private let console: Console

  init(_ console: Console) {
    self.console = console
  }

  mutating func write(_ text: String) {
    console.writeToStandardError(text)
  }
}
