import SystemLibrary

/// A program that shows text page by page, such as `less`; it takes the place of standard output.
final class Pager {
  private let process: pid_t

  /// The command: `PAGER`, or `less` if it is installed; nil if text is shown at once.
  static let command: String? = {
    if variable("TERM") == "dumb" { return nil }
    let wanted = variable("PAGER") ?? "less"
    guard let program = wanted.split(separator: " ").first, program != "cat" else { return nil }
    let folders = program.contains("/") ? [""] : (variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/" }
    return folders.contains { unsafe access("\($0)\(program)", X_OK) == 0 } ? wanted : nil
  }()

  private static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

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
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    // Colors as they are, no alternate screen for what is short.
    unsafe setenv("LESS", "FRX", 0)
    let words: [String] = ["/bin/sh", "-c", command]
    var strings = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe strings.forEach { unsafe free($0) } }
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, "/bin/sh", &actions, nil, &strings, environ)
    close(ends[0])
    defer { close(ends[1]) }
    guard code == 0 else { return nil }
    self.process = process
    _ = dup2(ends[1], 1)
    // The keys of the terminal are the pager's: ^C does not end this process before its text is read.
    _ = signal(SIGINT, SIG_IGN)
  }

  /// Ends the text, and waits until the pager has ended.
  func finish() {
    close(1)
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}
