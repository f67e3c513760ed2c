import Dispatch
public import Foundation

/// Runs a product of this package as a process of its own.
public enum TestProcess {
  /// How a process ended.
  public struct Result: Sendable {
    /// What it wrote to standard output.
    public let output: Data
    /// What it wrote to standard error.
    public let error: String
    /// Its exit status, or the number of the signal that ended it.
    public let status: Int32
    /// Whether a signal ended it.
    public let wasKilled: Bool

    /// Standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// The folder in which the test bundle, and so every product, was built.
  public static var products: URL {
    #if os(macOS)
      for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") { return bundle.bundleURL.deletingLastPathComponent() }
    #endif
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  }

  /// Runs a product to its end.
  ///
  /// - Parameters:
  ///   - name: The product; a path with a slash is taken as it is.
  ///   - arguments: Its arguments.
  ///   - folder: Its working directory; that of the tests if nil.
  ///   - input: What it finds at standard input.
  ///   - standardInput: A file that it finds there instead.
  ///   - environment: Variables that are set for it beside those of the tests.
  ///   - limit: After so many seconds it is killed, so that a process that hangs fails a test instead of stopping all.
  /// - Returns: How it ended.
  /// - Throws: If it cannot be started.
  public static func run(
    _ name: String, _ arguments: [String], in folder: URL? = nil, input: Data = Data(), standardInput: String? = nil,
    environment: [String: String] = [:], limit: TimeInterval? = nil
  ) throws -> Result {
    // Files, because a pipe that nobody empties would stop the process.
    let files = try TemporaryFolder()
    let process = Process()
    process.executableURL = name.contains("/") ? URL(fileURLWithPath: name) : products.appendingPathComponent(name)
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    try input.write(to: files.url("input"))
    process.standardInput =
      try standardInput.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) }
      ?? FileHandle(forReadingFrom: files.url("input"))
    process.standardOutput = try files.handle("output")
    process.standardError = try files.handle("error")
    try process.run()
    if let limit {
      // The process is not reaped before `waitUntilExit` returns, so the number is its own until then.
      let timer = DispatchSource.makeTimerSource()
      timer.schedule(deadline: .now() + limit)
      timer.setEventHandler { kill(process.processIdentifier, SIGKILL) }
      timer.resume()
      defer { timer.cancel() }
      process.waitUntilExit()
    } else {
      process.waitUntilExit()
    }
    return Result(
      output: try Data(contentsOf: files.url("output")), error: String(decoding: try Data(contentsOf: files.url("error")), as: UTF8.self),
      status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal)
  }
}
