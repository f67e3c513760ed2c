import ArchiveFormat
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
    if failure == 0 { failure = writeAll(buffer, to: 1) }
    if failure == EPIPE, let pager {
      // The user has seen enough.
      pager.finish()
      exit(ExitStatus.fine)
    }
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
    if isPaged, isatty(2) == 1 {
      buffer.append(contentsOf: text.utf8)
    } else {
      flush()
      let write = { _ = writeAll(Array(text.utf8), to: 2) }
      if let progressLine { progressLine.interrupt(write) } else { write() }
    }
  }

  /// The system's description of ``failure``.
  var failureText: String { unsafe String(cString: strerror(failure)).lowercased() }
}

/// Standard error as a stream, for text while standard output carries another result.
struct StandardError: TextOutputStream {
  let console: Console

  mutating func write(_ text: String) { console.writeToStandardError(text) }
}
