import Foundation

/// A product that runs concurrently with the tests.
public final class RunningProcess {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var buffer = Data()
  private let timeLimit: TimeLimit

  /// Starts a product.
  ///
  /// - Parameters:
  ///   - name: The product.
  ///   - arguments: Its arguments.
  ///   - environment: Environment variables in addition to those of the tests.
  ///   - ignored: The name of a signal that it is started to ignore, as a shell knows it.
  /// - Throws: If the product cannot be started.
  public init(_ name: String, _ arguments: [String], environment: [String: String] = [:], ignoring ignored: String? = nil) throws {
    let product = TestProcess.products.appendingPathComponent(name)
    process.executableURL = ignored == nil ? product : URL(fileURLWithPath: "/bin/sh")
    process.arguments = (ignored.map { ["-c", "trap '' \($0); exec \"$0\" \"$@\"", product.path] } ?? []) + arguments
    process.standardOutput = output
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    // A process that aborts on purpose needs no backtrace, which takes seconds.
    process.environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
    try process.run()
    timeLimit = TimeLimit(TimeLimit.usual, process.processIdentifier)
  }

  // A test that has what it wants need not wait for the end.
  deinit { if process.isRunning { signal(SIGKILL) } }

  /// Waits for the next line of its output; nil at the end of the output.
  public func readLine() -> String? {
    while true {
      if let end = buffer.firstIndex(of: 0x0A) {
        let line = String(decoding: buffer[buffer.startIndex..<end], as: UTF8.self)
        buffer = Data(buffer[buffer.index(after: end)...])
        return line
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      buffer += more
    }
  }

  /// Writes a line to its standard input.
  ///
  /// - Throws: If the process has closed its standard input.
  public func writeLine(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Sends it a signal.
  public func signal(_ number: Int32) {
    kill(process.processIdentifier, number)
  }

  /// Closes its standard input.
  public func closeInput() { try? input.fileHandleForWriting.close() }

  /// Waits until a signal has stopped the process.
  ///
  /// - Returns: Whether the process is stopped; false if it has ended instead.
  public func waitUntilStopped() -> Bool {
    // The system reports a stop to the parent only once, and Foundation may receive it. The process table can be read
    // at any time.
    while process.isRunning {
      let file = FileHandle(forReadingAtPath: "/proc/\(process.processIdentifier)/stat")
      let status = String(decoding: (try? file?.readToEnd()) ?? Data(), as: UTF8.self)
      if let state = status.split(separator: ")").last?.split(separator: " ").first, state == "T" { return true }
      usleep(1000)
    }
    return false
  }

  /// Waits for the process to end.
  ///
  /// - Returns: Its exit status, or the negative number of the signal that ended it.
  public func wait() -> Int32 {
    process.waitUntilExit()
    timeLimit.cancel()
    return process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
  }
}
