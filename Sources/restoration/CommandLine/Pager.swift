import SystemLibrary

/// A program that shows text page by page, such as `less`; it takes the place of standard output.
final class Pager {
  /// Closes the stream to the program, whose type differs between systems, and waits for the end of the program.
  private let end: () -> Void

  /// The command: `PAGER`, or `less` if it is installed; nil if text is shown at once.
  static let command: String? = {
    if variable("TERM") == "dumb" { return nil }
    let wanted = variable("PAGER") ?? "less"
    guard let program = wanted.split(separator: " ").first, program != "cat" else { return nil }
    let folders = program.contains("/") ? [""] : (variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/" }
    return folders.contains { unsafe access("\($0)\(program)", X_OK) == 0 } ? wanted : nil
  }()

  static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

  /// Whether text has more lines than the screen, or lines that are longer.
  static func isLong(_ text: [UInt8]) -> Bool {
    var size = winsize()
    guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return false }
    let rows = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast().reduce(0) {
      $0 + 1 + $1.count / Int(size.ws_col)
    }
    return rows >= size.ws_row
  }

  /// Starts the pager; nil if that is not possible.
  init?() {
    guard let command = Self.command else { return nil }
    // Raw colors, and no alternate screen for short output.
    unsafe setenv("LESS", "FRX", 0)
    guard let input = unsafe popen(command, "w") else { return nil }
    end = { _ = unsafe pclose(input) }
    _ = unsafe dup2(fileno(input), 1)
    // The keys of the terminal are the pager's: ^C does not end this process before its text is read.
    _ = signal(SIGINT, SIG_IGN)
    // A user who leaves the pager ends the text.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Ends the text, and waits until the pager has ended.
  func finish() {
    close(1)
    end()
  }
}
