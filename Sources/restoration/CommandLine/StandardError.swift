/// Standard error as a stream, for what is no result if standard output has another one.
struct StandardError: TextOutputStream {
  private let console: Console

  init(_ console: Console) {
    self.console = console
  }

  mutating func write(_ text: String) {
    console.writeAside(text)
  }
}
