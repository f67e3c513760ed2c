import Foundation

// Swift imports no header that declares these.
@_silgen_name("posix_openpt") private func openTerminal(_ flags: CInt) -> CInt
@_silgen_name("grantpt") private func grantTerminal(_ descriptor: CInt) -> CInt
@_silgen_name("unlockpt") private func unlockTerminal(_ descriptor: CInt) -> CInt
@_silgen_name("ptsname") private func terminalName(_ descriptor: CInt) -> UnsafePointer<CChar>?

/// A product running on a pseudo-terminal controlled by the test.
public final class PseudoTerminal {
  private let process: pid_t
  private let master: FileHandle
  /// The bytes read since the last wait; a read may end within a character.
  private var received: [UInt8] = []
  private let timeLimit: TimeLimit

  /// Starts a product on a terminal of 64 columns and 12 rows.
  ///
  /// - Parameters:
  ///   - name: The product, or the path of another program.
  ///   - arguments: Its arguments.
  ///   - additions: Environment variables in addition to those of the tests.
  /// - Throws: If there is no terminal, or if the product cannot be started.
  public init(_ name: String, _ arguments: [String], environment additions: [String: String] = [:]) throws {
    // Another process started meanwhile would otherwise keep the terminal open, so that it never hangs up.
    let descriptor = openTerminal(O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0, grantTerminal(descriptor) == 0, unlockTerminal(descriptor) == 0, let path = unsafe terminalName(descriptor)
    else {
      throw CocoaError(.fileReadUnknown)
    }
    master = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var size = winsize(ws_row: 12, ws_col: 64, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    // The first terminal opened by a session leader becomes its controlling terminal, so that hangups and signal keys
    // reach it. 0x80 starts a session.
    unsafe posix_spawnattr_setflags(&attributes, 0x80)
    unsafe posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
    for target: Int32 in [1, 2] { unsafe posix_spawn_file_actions_adddup2(&actions, 0, target) }
    let program = name.hasPrefix("/") ? name : TestProcess.products.appendingPathComponent(name).path
    var strings = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    // On a terminal, the runtime would show a backtrace of a process that traps, and wait for a key. The terminal of the
    // tests may be none, or `dumb`.
    let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no", "TERM": "xterm"]) { $1 }.merging(
      additions
    ) { $1 }
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer { unsafe (strings + variables).forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    guard unsafe posix_spawn(&identifier, program, &actions, &attributes, &strings, &variables) == 0 else {
      throw CocoaError(.fileNoSuchFile)
    }
    process = identifier
    timeLimit = TimeLimit(TimeLimit.usual, identifier)
  }

  /// Types text.
  public func type(_ text: String) { try? master.write(contentsOf: Data(text.utf8)) }

  /// Waits until the terminal has received a text since the last wait.
  ///
  /// - Returns: Everything received since the last wait; nil if the process ends first.
  @discardableResult
  public func wait(for text: String) -> String? {
    while !String(decoding: received, as: UTF8.self).contains(text) {
      var more = [UInt8](repeating: 0, count: 4096)
      let count = unsafe more.withUnsafeMutableBytes { unsafe read(master.fileDescriptor, $0.baseAddress, $0.count) }
      // The system reports an error once the other end is closed.
      more.removeLast(more.count - max(count, 0))
      if more.isEmpty { return nil }
      received += more
    }
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  /// Reads everything until the process and those that it started have closed the terminal.
  public func readAll() -> String {
    // No text has this character, so it is never found.
    while wait(for: "\u{FFFF}") != nil {}
    defer { received = [] }
    return String(decoding: received, as: UTF8.self)
  }

  /// Whether the terminal echoes input and delivers whole lines, as it did initially.
  public var isCooked: Bool {
    var settings = termios()
    guard unsafe tcgetattr(master.fileDescriptor, &settings) == 0 else { return true }
    return settings.c_lflag & tcflag_t(ICANON | ECHO) == tcflag_t(ICANON | ECHO)
  }

  /// Resizes the terminal.
  public func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(master.fileDescriptor, UInt(TIOCSWINSZ), &size)
  }

  /// Sends the process a signal.
  public func signal(_ number: Int32) { kill(process, number) }

  /// Closes the terminal, as closing its window does: the process receives a hangup.
  public func hangUp() { try? master.close() }

  /// Waits for the process to end; returns its exit status, or the negative number of the signal that ended it.
  public func end() -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    timeLimit.cancel()
    return status & 0x7F == 0 ? status >> 8 : -(status & 0x7F)
  }
}
