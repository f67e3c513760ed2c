import SystemLibrary

/// Another process of this program, which exchanges lines with this one.
final class ChildProcess {
  private let identifier: pid_t
  private let input: Int32
  private let output: Int32

  /// Starts the process with arguments.
  ///
  /// Its standard error is discarded: a demonstration that traps on purpose explains the trap itself.
  init(arguments: [String]) throws(ToolFailure) {
    var inputEnds: [Int32] = [0, 0]
    var outputEnds: [Int32] = [0, 0]
    guard unsafe pipe(&inputEnds) == 0, unsafe pipe(&outputEnds) == 0 else { throw Self.failure(errno) }
    for descriptor in inputEnds + outputEnds { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, inputEnds[0], 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, outputEnds[1], 1)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // A trap on purpose needs no backtrace.
    unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
    var strings = unsafe ([Self.program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe strings.forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    let code = unsafe posix_spawnp(&identifier, Self.program, &actions, nil, &strings, environ)
    close(inputEnds[0])
    close(outputEnds[1])
    self.identifier = identifier
    (input, output) = (inputEnds[1], outputEnds[0])
    guard code == 0 else { throw Self.failure(code) }
    // A write to a dead child must not end this process.
    _ = signal(SIGPIPE, SIG_IGN)
  }

  deinit {
    close(input)
    close(output)
  }

  private static var program: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      CommandLine.arguments[0]
    #endif
  }

  private static func failure(_ code: Int32) -> ToolFailure {
    ToolFailure(status: .inputOutput, message: "starting a process: \(unsafe String(cString: strerror(code)).lowercased())")
  }

  /// Sends a line and returns the lines of the answer, without the final `ok`; nil if the answer is an error or
  /// missing.
  func ask(_ line: String) -> [String]? {
    let bytes = Array((line + "\n").utf8)
    guard unsafe bytes.withUnsafeBytes({ unsafe writeOnce(input, $0) }) == bytes.count else { return nil }
    return answer()
  }

  /// Returns the lines of an answer, without the last one; nil if the process ends first or answers with an error.
  func answer() -> [String]? {
    var lines: [String] = []
    while let line = readLine() {
      if line == "ok" { return lines }
      if line.hasPrefix("error") { return nil }
      lines.append(line)
    }
    return nil
  }

  private func readLine() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = unsafe systemRead(output, &byte)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
  }

  /// Kills the process, as a system does that runs out of memory, and waits for it to end.
  func kill() {
    systemKill(identifier)
    _ = wait()
  }

  /// Waits for the process to end; returns the number of the signal that ended it, or 0.
  func wait() -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F
  }
}

@unsafe private func systemRead(_ descriptor: Int32, _ byte: UnsafeMutablePointer<UInt8>) -> Int { unsafe read(descriptor, byte, 1) }
private func systemKill(_ identifier: pid_t) { _ = kill(identifier, SIGKILL) }
