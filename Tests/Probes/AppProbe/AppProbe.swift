import Foundation
import StateRestoration

/// An app that tests start, stop, kill and restart: a counter and scenes, driven by lines on standard input.
///
///     app-probe FOLDER free|blocking|saving [VERSION [SECONDS]]
///
/// With `free`, the app waits for lines without blocking its actor; with `blocking`, it waits in `readLine`, and with
/// `saving` too, but without ever telling of a turn. The answer
/// to `add` and `add SCENE` is the new count, to `show` all counts, to `save` and `quit` `ok`. SECONDS is how long a
/// signal waits for the actor.
@main @MainActor
struct AppProbe {
  @MainActor final class Counter: @MainActor Restorable {
    let restorationIdentifier: String? = "counter"
    @Restored var count = 0
  }

  private let counter = Counter()
  private let restoration: AppRestoration
  private var scenes: [String: Counter] = [:]

  static func main() async throws {
    var probe = try AppProbe(CommandLine.arguments)
    if CommandLine.arguments[2] == "blocking" {
      while true {
        probe.restoration.turn()
        guard let line = readLine(), try probe.answer(line) else { break }
      }
      try probe.restoration.endNow()
    } else if CommandLine.arguments[2] == "saving" {
      while let line = readLine(), try probe.answer(line) {}
      try probe.restoration.endNow()
    } else {
      for await line in lines() where try !probe.answer(line) { break }
      await probe.restoration.end()
    }
  }

  private init(_ arguments: [String]) throws {
    var configuration = AppConfiguration(bundleIdentifier: "org.example.probe", folder: arguments[1])
    configuration.bundleVersion = arguments.count > 3 ? arguments[3] : nil
    if arguments.count > 4, let seconds = Int(arguments[4]) { configuration.timing.backgroundTime = .seconds(seconds) }
    restoration = try AppRestoration(configuration, roots: { [counter] in [counter] })
    restoration.onSuspend = { Self.say("suspending") }
    restoration.onResume = { Self.say("resumed") }
    let launch = try restoration.launch()
    for name in try restoration.savedScenes() { try open(name) }
    Self.say("\(launch.reason.rawValue) \(launch.lastExit?.rawValue ?? "none") \(text)")
  }

  private mutating func open(_ name: String) throws {
    let counter = Counter()
    _ = try restoration.openScene(name) { [counter] }
    scenes[name] = counter
  }

  private var text: String {
    (["\(counter.count)"] + scenes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.count)" }).joined(separator: " ")
  }

  /// Executes a line; returns whether the app continues.
  private mutating func answer(_ line: String) throws -> Bool {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "add":
      if words.count > 1, scenes[words[1]] == nil { try open(words[1]) }
      let changed = words.count > 1 ? scenes[words[1]] : counter
      changed?.count += 1
      Self.say("\(changed?.count ?? 0)")
    case "save":
      try restoration.saveNow()
      Self.say("ok")
    case "quit":
      Self.say("ok")
      return false
    default: Self.say(text)
    }
    return true
  }

  private static func say(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8))
  }

  /// Returns the lines of standard input, read by a separate thread.
  private static func lines() -> AsyncStream<String> {
    let (lines, continuation) = AsyncStream.makeStream(of: String.self)
    Thread.detachNewThread {
      while let line = readLine() { continuation.yield(line) }
      continuation.finish()
    }
    return lines
  }
}
