public import Foundation

/// Runs products of this package as separate processes.
public enum TestProcess {
  /// The result of a process.
  public struct Result: Sendable {
    /// Its standard output.
    public let output: Data
    /// Its standard error.
    public let error: String
    /// The exit status, or the number of the signal that ended the process.
    public let status: Int32
    /// Whether a signal ended the process.
    public let wasKilled: Bool

    /// The standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// The build folder of the test bundle and all products.
  public static var products: URL {
    #if os(macOS)
      for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") { return bundle.bundleURL.deletingLastPathComponent() }
    #endif
    return URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  }

  /// Runs a product to completion.
  ///
  /// - Parameters:
  ///   - name: The product; a name with a slash is used as a path.
  ///   - arguments: Its arguments.
  ///   - folder: Its working directory; nil for that of the tests.
  ///   - input: The content of its standard input.
  ///   - standardInput: A file to use as standard input instead.
  ///   - environment: Environment variables in addition to those of the tests.
  ///   - limit: The time in seconds after which the process is killed, so that a hanging process fails one test instead
  ///     of blocking all.
  /// - Returns: The result of the process.
  /// - Throws: If the product cannot be started.
  public static func run(
    _ name: String, _ arguments: [String], in folder: URL? = nil, input: Data = Data(), standardInput: String? = nil,
    environment: [String: String] = [:], limit: TimeInterval = TimeLimit.usual
  ) throws -> Result {
    // Files, because a full pipe would block the process.
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
    let timeLimit = TimeLimit(limit, process.processIdentifier)
    process.waitUntilExit()
    timeLimit.cancel()
    return Result(
      output: try Data(contentsOf: files.url("output")), error: String(decoding: try Data(contentsOf: files.url("error")), as: UTF8.self),
      status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal)
  }
}
