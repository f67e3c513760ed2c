import ArchiveFormat
import FoundationValues
import RestorationArchive
import RestorationInspection
import SystemLibrary

enum Demo: Verb {
  static let name = "demo"
  static let summary = "use a small notes app, kill its process, and see it come back"
  static let operands = ""
  static let options: [CommandOption] = [
    CommandOption(name: "output", letter: "o", value: "FOLDER", help: "the folder of the app; restoration-demo if left out"),
    CommandOption(name: "force", help: "use FOLDER even if something else is in it, or the app was used there"),
  ]
  static let hasFormats = false
  static let discussion = """
    The app is `restoration notes`, without its screen. Each run clears FOLDER first, unless you have used the app there.
    """
  static let example = "restoration demo"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let folder = arguments.value("output") ?? "restoration-demo"
    guard folder != "-" else { throw .usage("--output: the app needs a folder, not standard output") }
    try clear(folder, force: arguments.has("force"))

    let first = try start(folder)
    _ = try greeting(of: first, folder)
    for command in [
      "open letter", "move 100", "type It even survives this.", "split todo", "move 12", "select 3", "new-window ideas", "open ideas",
      "scroll 1", "day 24", "theme dark",
    ] {
      try ask(first, command)
    }
    let left = try ask(first, "show")
    try ask(first, "save")
    show("1. A notes app is used. Its user types, splits, scrolls; nothing is saved explicitly.", left, console)

    first.kill()
    let second = try start(folder)
    let launch = try greeting(of: second, folder)
    let found = try ask(second, "show")
    show("2. Its process is killed (kill -9). A new process starts.", launch, console)
    guard found == left else { throw ToolFailure(status: .problems, message: "the app did not come back as it was") }
    show("   All \(found.count) lines are as they were:", Array(found.prefix(6)) + ["…"], console)

    try ask(second, "poison todo")
    second.kill()
    let third = try start(folder)
    guard third.answer() == nil, third.wait() != 0 else { throw ToolFailure(status: .problems, message: "the poison has no effect") }
    let fourth = try start(folder)
    let recovery = try greeting(of: fourth, folder)
    show(
      "3. The note todo now kills every process that restores it. One process has crashed on it; this is the next one.", recovery, console)
    let rest = try ask(fourth, "show")
    show("   Everything else is there, and the state of todo is kept for a build that can restore it:", rest, console)
    try ask(fourth, "quit")
    _ = fourth.wait()
    mark(folder)

    console.write("Do it yourself; ^Q quits, kill -9 works too:\n  swift run restoration notes \(folder.escapedForDisplay)\n")
    console.write("Look at what is saved:\n  swift run restoration store \(folder.escapedForDisplay)/state\n")
    return .fine
  }

  private static func start(_ folder: String) throws(ToolFailure) -> ChildProcess {
    try ChildProcess(arguments: [Notes.name, "--plain", "--", folder])
  }

  private static func greeting(of process: ChildProcess, _ folder: String) throws(ToolFailure) -> [String] {
    guard let lines = process.answer() else {
      throw ToolFailure(status: .inputOutput, message: "\(folder.escapedForDisplay): the app could not be started")
    }
    return lines
  }

  @discardableResult
  private static func ask(_ process: ChildProcess, _ command: String) throws(ToolFailure) -> [String] {
    guard let lines = process.ask(command) else { throw ToolFailure(status: .problems, message: "the app refused: \(command)") }
    return lines
  }

  private static func show(_ title: String, _ lines: [String], _ console: Console) {
    console.write("\(console.style.bold(title))\n")
    for line in lines { console.write("   \(line)\n") }
    console.write("\n")
  }

  // MARK: The folder

  private static let parts = ["notes", "state"]
  private static let markName = ".demo"
  private static func markFile(_ folder: String) -> URL { URL(fileURLWithPath: "\(folder)/\(markName)") }

  /// Records what the demo has left in the folder: if something else is there next time, the user has made it.
  private static func mark(_ folder: String) { try? fingerprint(of: folder)?.write(to: markFile(folder)) }

  /// Returns the names and the digests of all files of the app; nil if they cannot be listed.
  private static func fingerprint(of folder: String) -> Data? {
    let lines = try? parts.flatMap { part in
      try FileManager.default.subpathsOfDirectory(atPath: "\(folder)/\(part)").sorted().map { name in
        let content = (try? Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(part)/\(name)"))) ?? Data()
        return "\(XXH64.hash(Array(content).span, seed: 0)) \(part)/\(name)\n"
      }
    }
    return lines.map { Data($0.joined().utf8) }
  }

  /// Deletes the files of an earlier demo.
  private static func clear(_ folder: String, force: Bool) throws(ToolFailure) {
    do {
      let manager = FileManager.default
      let names = manager.fileExists(atPath: folder) ? try manager.contentsOfDirectory(atPath: folder) : []
      let isOfDemo = names.allSatisfy { parts.contains($0) || $0 == markName }
      guard force || names.isEmpty || isOfDemo && ((try? Data(contentsOf: markFile(folder))) ?? Data()) == fingerprint(of: folder) else {
        let reason = isOfDemo ? "the app was used there" : "exists, and is no folder of a demo"
        throw ToolFailure(
          status: .inputOutput, message: "\(folder.escapedForDisplay): \(reason)", hint: "--force replaces notes and state in it")
      }
      for name in names where parts.contains(name) { try manager.removeItem(atPath: "\(folder)/\(name)") }
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch let failure as ToolFailure {
      throw failure
    } catch {
      throw ToolFailure(status: .inputOutput, message: "\(folder.escapedForDisplay): cannot be cleared")
    }
  }
}

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
    writeAll(Array((line + "\n").utf8), to: input) == 0 ? answer() : nil
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
