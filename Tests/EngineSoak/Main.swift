import CorpusKit
import EngineKit

/// Checks the engine's property, and that it agrees with the model of its rules, for many seeds.
///
///     engine-soak FROM TO
@main
struct Main {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
    guard arguments.count == 2, arguments[0] < arguments[1] else {
      print("usage: engine-soak FROM TO")
      return
    }
    var compared = 0
    for seed in arguments[0]..<arguments[1] {
      var generator = SeededGenerator(seed: seed)
      do {
        try EngineProperty.check((0..<(16 + generator.below(400))).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        let app = RandomApp(seed: seed)
        if let engine = try app.runEngine() {
          compared += 1
          if engine != app.runModel() { print("seed \(seed): the engine and the model differ") }
        }
      } catch {
        print("seed \(seed): \(error)")
      }
    }
    print("\(arguments[1] - arguments[0]) inputs, \(compared) of them compared with the model")
  }
}
