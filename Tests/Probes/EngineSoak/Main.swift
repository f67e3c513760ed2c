import PropertyKit
import EngineKit

/// Checks the engine's property, its agreement with the model, and the account of saved values for many seeds.
///
///     engine-soak FROM TO              prints the violations
///     engine-soak --choose FROM TO     writes inputs to Corpus/engine that reach all outcomes of these seeds
///     engine-soak --captures FROM TO   compares saves of what has changed with captures of everything; with
///                                      --throwing-anywhere, objects also throw after they moved or were not captured
@main
struct Main {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
    guard arguments.count == 2, arguments[0] < arguments[1] else {
      print("usage: engine-soak [--choose | --captures [--throwing-anywhere]] FROM TO")
      return
    }
    if CommandLine.arguments.contains("--captures") { return compareCaptures(arguments[0]..<arguments[1]) }
    if CommandLine.arguments.contains("--choose") {
      var chooser = try SeedChooser(arguments[0]..<arguments[1])
      try chooser.write()
      return
    }
    var compared = 0, counts: [String: Int] = [:]
    for seed in arguments[0]..<arguments[1] {
      do {
        try LaunchAccount.check(seed: seed, &counts)
        try LaunchAccount.check(seed: seed, otherUpgrades: true, &counts)
        try EngineProperty.check(input(seed))
        let app = RandomApp(seed: seed)
        if let engine = try app.runEngine() {
          compared += 1
          for difference in engine.differences(from: app.runModel()) { print("seed \(seed): the engine has \(difference)") }
        }
      } catch {
        print("seed \(seed): \(error)")
      }
    }
    print("\(arguments[1] - arguments[0]) inputs, \(compared) of them compared with the model")
    print("histories: \(counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", "))")
  }

  private static func compareCaptures(_ seeds: Range<UInt64>) {
    let throwsAnywhere = CommandLine.arguments.contains("--throwing-anywhere")
    var tally = CaptureHistory.Tally()
    for seed in seeds {
      do {
        try CaptureHistory.check(seed: seed, throwsAnywhere: throwsAnywhere, &tally)
      } catch {
        print("seed \(seed): \(error)")
      }
    }
    print("\(seeds.count) histories: \(tally)")
  }

  /// Returns the input of a seed.
  static func input(_ seed: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return (0..<(16 + generator.below(400))).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}
