#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// This program once more, as a process of its own, with its output read by this one.
final class ChildProcess {
  private let identifier: pid_t
  private let output: Int32

  /// The variable of the environment that tells the child what it is for.
  private static let taskVariable = "RESTORATION_DEMO_STAGE"

  /// What this process was started for, if it is a child itself.
  static var task: String? {
    guard let text = unsafe getenv(taskVariable) else { return nil }
    return unsafe String(cString: text)
  }

  /// Starts it, for a task.
  init(task: String, arguments: [String]) throws(ToolFailure) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw Self.failure(errno) }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    unsafe posix_spawn_file_actions_addclose(&actions, ends[0])
    let program = Self.program
    unsafe setenv(Self.taskVariable, task, 1)
    defer { unsafe unsetenv(Self.taskVariable) }
    var strings = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    defer { unsafe strings.forEach { unsafe free($0) } }
    var identifier: pid_t = 0
    let code = unsafe posix_spawnp(&identifier, program, &actions, nil, &strings, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw Self.failure(code)
    }
    self.identifier = identifier
    output = ends[0]
  }

  deinit {
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

  /// Reads what it prints up to a byte of 0, or to its end.
  func read() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = unsafe systemRead(output, &byte)
      if count < 0, errno == EINTR { continue }
      guard count > 0, byte != 0 else { break }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Kills it, as a system does that needs the memory.
  func kill() {
    systemKill(identifier)
  }

  /// Waits for its end; returns whether it ended by itself and all was well.
  @discardableResult
  func wait() -> Bool {
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    return status == 0
  }
}

@unsafe private func systemRead(_ descriptor: Int32, _ byte: UnsafeMutablePointer<UInt8>) -> Int { unsafe read(descriptor, byte, 1) }
private func systemKill(_ identifier: pid_t) { _ = kill(identifier, SIGKILL) }

/// Sleeps until the process is killed.
func waitToBeKilled() -> Never {
  while true { pause() }
}
