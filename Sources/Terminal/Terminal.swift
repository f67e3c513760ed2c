import Dispatch
import SystemLibrary

/// An event from the terminal.
public enum TerminalEvent: Sendable {
  /// A key was typed.
  case key(Key)
  /// The screen size changed.
  case resize
  /// The terminal is gone: there is no more input.
  case end
}

/// The terminal of the process: full-screen output and raw keys.
///
/// The previous screen is restored at the end.
///
/// Unless SIGKILL ends the process, the terminal gets its settings back: from ``leave()``, at `exit`, or from a handler
/// of the signals that end a process, which then invokes the previous handler. SIGTERM, SIGHUP and SIGINT have no such
/// handler, because an app saves before they end it: call ``leave()`` then; any thread may call it.
public final class Terminal: Sendable {
  /// The terminal's events, for a single consumer.
  public let events: AsyncStream<TerminalEvent>
  private let continuation: AsyncStream<TerminalEvent>.Continuation

  /// Creates the terminal; nil if standard input or output is not a terminal, or if `TERM` says that it cannot place
  /// text.
  public init?() {
    if let kind = unsafe getenv("TERM"), unsafe String(cString: kind) == "dumb" { return nil }
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, SavedTerminal.save() else { return nil }
    (events, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
    readKeys()
    watchSize()
  }

  /// The number of columns and rows of the screen; 80 and 24 if the system does not know them.
  public var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Switches to the alternate screen with raw keys and bracketed paste, and without wrapping of long lines.
  ///
  /// Keys that send signals still do.
  public func enter(usesMouse: Bool = false) {
    SavedTerminal.enter()
    write("\u{1B}[?1049h\u{1B}[?2004h\u{1B}[?7l\u{1B}[?25l\u{1B}[2J\(usesMouse ? "\u{1B}[?1000h\u{1B}[?1006h" : "")")
  }

  /// Restores the previous screen and settings.
  public func leave() { SavedTerminal.leave() }

  /// Sends text to the terminal.
  public func write(_ text: String) { _ = writeAll(Array(text.utf8), to: STDOUT_FILENO) }

  private func readKeys() {
    let continuation = continuation
    let queue = DispatchQueue(label: "terminal.keys", qos: .userInteractive)
    queue.async {
      var parser = KeyParser()
      var buffer = [UInt8](repeating: 0, count: 4096)
      while true {
        // A lone escape character is the escape key if no byte follows for a moment.
        var request = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        let ready = unsafe poll(&request, 1, 50)
        if ready == 0 {
          for key in parser.finish() { continuation.yield(.key(key)) }
          continue
        }
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        guard count > 0 else { break }
        for key in parser.parse(buffer.prefix(count)) { continuation.yield(.key(key)) }
      }
      continuation.yield(.end)
    }
  }

  private func watchSize() {
    _ = signal(SIGWINCH, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: DispatchQueue(label: "terminal.size"))
    let continuation = continuation
    source.setEventHandler { continuation.yield(.resize) }
    source.setCancelHandler { _ = source }
    source.resume()
  }
}

/// The original terminal settings, in memory that a signal handler may read.
private enum SavedTerminal {
  nonisolated(unsafe) private static let settings = UnsafeMutablePointer<termios>.allocate(capacity: 1)
  nonisolated(unsafe) private static let isEntered: UnsafeMutablePointer<sig_atomic_t> = {
    let flag = UnsafeMutablePointer<sig_atomic_t>.allocate(capacity: 1)
    unsafe flag.initialize(to: 0)
    return unsafe flag
  }()
  nonisolated(unsafe) private static let former: UnsafeMutablePointer<sigaction> = {
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
    unsafe actions.initialize(repeating: sigaction(), count: 32)
    return unsafe actions
  }()
  /// Turns off the mouse and bracketed paste, wraps lines again, resets colors, shows the cursor, and leaves the alternate screen.
  private static let farewell: StaticString = "\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?2004l\u{1B}[?7h\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
  private static let fatal: [Int32] = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]
  /// The signals that end a process by default, and that a parent may have told it to ignore.
  ///
  /// The key `^\` sends SIGQUIT.
  private static let ending: [Int32] = [SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF]

  /// Saves the settings, and installs the exit and signal handlers that restore them.
  static func save() -> Bool {
    guard unsafe tcgetattr(STDIN_FILENO, settings) == 0 else { return false }
    _ = unsafe isEntered
    _ = atexit { SavedTerminal.leave() }
    for number in fatal + ending where fatal.contains(number) || !sigaction.isIgnored(number) {
      var action = sigaction()
      action.handler = { SavedTerminal.die(by: $0) }
      action.sa_flags = SA_ONSTACK
      _ = unsafe sigaction(number, &action, former + Int(number))
    }
    return true
  }

  static func enter() {
    var raw = unsafe settings.pointee
    raw.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN)
    // A key that sends a signal drops what waits to be shown, after the signal: the farewell of a fast process.
    raw.c_lflag |= tcflag_t(NOFLSH)
    raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
    _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw)
    unsafe isEntered.pointee = 1
  }

  /// Restores the settings; async-signal-safe.
  static func leave() {
    guard unsafe isEntered.pointee == 1 else { return }
    unsafe isEntered.pointee = 0
    _ = unsafe write(STDOUT_FILENO, farewell.utf8Start, farewell.utf8CodeUnitCount)
    _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, settings)
  }

  private static func die(by number: Int32) {
    leave()
    // The signal is blocked until this returns; then the previous handler receives it.
    _ = unsafe sigaction(number, former + Int(number), nil)
    _ = raise(number)
  }
}

/// A full-screen program: draws its screen after each event, until a key ends it or the terminal is gone.
///
///     let screen = FullScreen(on: terminal) { columns, rows in grid(columns, rows) }
///     await screen.run { key in handle(key) }
@MainActor
public final class FullScreen {
  private let terminal: Terminal
  private let grid: (_ columns: Int, _ rows: Int) -> CellGrid
  private let usesMouse: Bool
  private var painter = ScreenPainter()

  /// Creates the program; `grid` draws the whole screen for a size of the terminal.
  public init(on terminal: Terminal, usesMouse: Bool = false, drawing grid: @escaping (_ columns: Int, _ rows: Int) -> CellGrid) {
    self.terminal = terminal
    self.usesMouse = usesMouse
    self.grid = grid
  }

  /// Sends what changed on the screen since it was last drawn.
  public func update() {
    let size = terminal.size
    terminal.write(painter.sequence(for: grid(size.columns, size.rows)))
  }

  /// Takes the terminal and draws everything: at the start, and when a stopped process continues.
  public func enter() {
    terminal.enter(usesMouse: usesMouse)
    painter.forget()
    update()
  }

  /// Handles the events of the terminal until the end, and restores the previous screen.
  ///
  /// Ctrl-L draws everything again.
  ///
  /// - Parameter handle: Handles a key; returns whether the program continues.
  public func run(handling handle: (Key) -> Bool) async {
    enter()
    events: for await event in terminal.events {
      switch event {
      case .end: break events
      case .key(.control("l")): painter.forget()
      case .key(let key): if !handle(key) { break events }
      case .resize: painter.forget()
      }
      update()
    }
    terminal.leave()
  }
}
