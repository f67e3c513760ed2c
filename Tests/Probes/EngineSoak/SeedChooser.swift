import CorpusKit
import EngineKit

/// Chooses inputs for `Corpus/engine`: few and short ones that reach between them what any of many inputs reaches.
struct SeedChooser {
  private struct Input {
    let seed: UInt64
    let length: Int
    let reached: Set<String>
  }

  private var inputs: [Input] = []

  /// Takes in the inputs of seeds; of those that reach the same, the first short one is kept.
  init(_ seeds: Range<UInt64>) throws {
    var known: Set<String> = []
    for seed in seeds {
      let bytes = Main.input(seed)
      let reached = Set(try EngineProperty.tally(of: bytes).counts.keys)
      // Each is worth keeping for something that it reaches first, or for much at once.
      if !reached.isSubset(of: known) || reached.count > 24 { inputs.append(Input(seed: seed, length: bytes.count, reached: reached)) }
      known.formUnion(reached)
    }
  }

  /// Writes the chosen ones: each time the one that adds most to what is reached.
  mutating func write() throws {
    var left = inputs.reduce(into: Set<String>()) { $0.formUnion($1.reached) }
    while let best = inputs.max(by: { worth($0, left) < worth($1, left) }), !left.isDisjoint(with: best.reached) {
      let news = best.reached.intersection(left).sorted()
      left.subtract(best.reached)
      let comment = "# Seed \(best.seed) of engine-soak. It adds to those before it: \(news.joined(separator: ", ")).\n"
      try Corpus.write(Array((comment + HexNotation.text(of: Main.input(best.seed))).utf8), to: "engine/seed-\(best.seed).input")
    }
    print("chosen; BLESS=1 swift test --filter EnginePropertyTests writes the outcomes")
  }

  private func worth(_ input: Input, _ left: Set<String>) -> (Int, Int) {
    (input.reached.intersection(left).count, -input.length)
  }
}
