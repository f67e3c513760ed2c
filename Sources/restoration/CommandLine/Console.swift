import ArchiveFormat
import Locking
import RestorationInspection
import SystemLibrary

/// The output streams of the tool: standard output for results, standard error for problems.
///
/// Output is buffered and written in large pieces. If a reader such as `head` closes the pipe, the tool ends as any
/// other does.
final class Console: TextOutputStream {
  private var buffer: [UInt8] = []
  /// The text style of results.
  private(set) var style = Console.style(1, "auto")
  private var errorStyle = Console.style(2, "auto")
  /// The progress of the work, which is shown until there is a result; nil without a terminal that can erase the line.
  let progress = isatty(2) == 1 && Pager.variable("TERM") != "dumb" ? WorkProgress() : nil
  private var progressLine: ProgressLine?
  private(set) var hasResult = false
  /// Whether long text goes to a pager, and the pager once it runs.
  private var isPaged = false
  private var pager: Pager?
  /// The `errno` of a failed write to standard output; 0 if none failed.
  private(set) var failure: Int32 = 0

  /// Applies the value of `--color`.
  func useColor(_ choice: String?) {
    style = Self.style(1, choice ?? "auto")
    errorStyle = Self.style(2, choice ?? "auto")
  }

  private static func style(_ descriptor: Int32, _ choice: String) -> TextStyle {
    switch choice {
    case "always": return .terminal
    case "never": return .plain
    default:
      if let setting = unsafe getenv("NO_COLOR"), unsafe setting.pointee != 0 { return .plain }
      if Pager.variable("TERM") == "dumb" { return .plain }
      return isatty(descriptor) == 1 ? .terminal : .plain
    }
  }

  func write(_ text: String) { write(bytes: text.utf8) }

  func write(bytes: some Sequence<UInt8>) {
    hasResult = true
    buffer.append(contentsOf: bytes)
    if buffer.count >= 1 << 16 { flush() }
  }

  /// Shows text that is longer than the screen in a pager, if the output is a terminal.
  func usePager() { isPaged = isTerminal && Pager.command != nil }

  var isTerminal: Bool { isatty(1) == 1 }

  /// Tells on a terminal what the tool does, such as "checking", if the result takes more than a second.
  func begin(_ work: String) { progressLine = progress.map { ProgressLine(work, $0) } }

  /// Writes the buffered output to standard output.
  func flush() {
    // The result may end in the middle of a line.
    if isTerminal, !buffer.isEmpty { endProgress() }
    if isPaged, pager == nil, buffer.count >= 1 << 16 || Pager.isLong(buffer) { pager = Pager() }
    if failure == 0 { failure = Self.write(buffer, to: 1) }
    buffer.removeAll(keepingCapacity: true)
  }

  private func endProgress() {
    progressLine?.finish()
    progressLine = nil
  }

  /// Writes the rest, and waits until the user has left the pager.
  func finish() {
    endProgress()
    flush()
    pager?.finish()
    pager = nil
  }

  /// Writes an error line to standard error, after all results so far.
  func report(_ message: String, hint: String? = nil) {
    var text = "\(errorStyle.alarming("restoration:")) \(message)\n"
    if let hint { text += "  \(hint)\n" }
    writeToStandardError(text)
  }

  /// Reports a failure; as JSON too, if that is the output and this the result of a file.
  func report(_ failure: ToolFailure, asJSON: Bool) {
    if asJSON { write(failure.json) }
    report(failure.message, hint: failure.hint)
  }

  /// Writes text to standard error, after all results so far; into the pager, if both are the same terminal.
  func writeToStandardError(_ text: String) {
    if isPaged, isatty(2) == 1 || pager != nil {
      buffer.append(contentsOf: text.utf8)
    } else {
      flush()
      let write = { _ = Self.write(Array(text.utf8), to: 2) }
      if let progressLine { progressLine.interrupt(write) } else { write() }
    }
  }

  /// The system's description of ``failure``.
  var failureText: String { unsafe String(cString: strerror(failure)).lowercased() }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let result = unsafe bytes[written...].withUnsafeBytes { unsafe writeOnce(descriptor, $0) }
      if result > 0 { written += result } else if errno != EINTR { return errno }
    }
    return 0
  }
}

@unsafe
func writeOnce(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

/// Standard error as a stream, for text while standard output carries another result.
struct StandardError: TextOutputStream {
  private let console: Console

  init(_ console: Console) { self.console = console }

  mutating func write(_ text: String) { console.writeToStandardError(text) }
}

/// A line on standard error that shows the progress of work that takes longer than a second.
///
/// It is for a terminal that can erase it, and is erased before anything else is written there.
final class ProgressLine: Sendable {
  private struct State {
    var isDone = false
    var isShown = false
    /// The percentage that was shown last, which never goes back; nil while no amount is known.
    var percentage: Int?
  }

  private let state = Lock(State())
  private let progress: WorkProgress

  /// Starts the line for some work, such as "checking".
  init(_ work: String, _ progress: WorkProgress) {
    self.progress = progress
    Task.detached { [self] in
      let clock = ContinuousClock()
      let start = clock.now
      var delay = Self.delay
      repeat {
        try await clock.sleep(for: delay)
        delay = .milliseconds(250)
      } while show(work, after: clock.now - start)
    }
  }

  /// The time until the line appears: a second, or `RESTORATION_PROGRESS_DELAY` seconds, as `GIT_PROGRESS_DELAY` for git.
  private static var delay: Duration {
    .seconds(Pager.variable("RESTORATION_PROGRESS_DELAY").flatMap { Int($0) } ?? 1)
  }

  /// Replaces the line, and returns whether the work goes on.
  private func show(_ work: String, after time: Duration) -> Bool {
    state.withLock { state in
      if state.isDone { return false }
      state.isShown = true
      if let fraction = progress.fraction { state.percentage = max(state.percentage ?? 0, min(Int(fraction * 100), 100)) }
      let part = state.percentage.map { "\($0) %" } ?? "\(time.components.seconds) s"
      Self.write("\r\u{1B}[Krestoration: \(work), \(part)")
      return true
    }
  }

  /// Erases the line while `body` writes to the terminal; it appears again if the work goes on.
  func interrupt(_ body: () -> Void) {
    state.withLock { state in
      erase(&state)
      body()
    }
  }

  /// Erases the line for good.
  func finish() {
    state.withLock { state in
      erase(&state)
      state.isDone = true
    }
  }

  private func erase(_ state: inout State) {
    if state.isShown { Self.write("\r\u{1B}[K") }
    state.isShown = false
  }

  private static func write(_ text: String) {
    let bytes = Array(text.utf8)
    // An unwritten progress line does no harm.
    _ = unsafe bytes.withUnsafeBytes { unsafe writeOnce(2, $0) }
  }
}

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
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { return nil }
    for descriptor in ends { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    // Raw colors, and no alternate screen for short output.
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
