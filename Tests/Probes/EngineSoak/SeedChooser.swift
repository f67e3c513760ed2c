import CorpusKit
import EngineKit

/// Chooses inputs for `Corpus/engine`: a small number of short inputs that together reach every outcome of many inputs.
struct SeedChooser {
  private struct Input {
    let seed: UInt64
    let length: Int
    let reached: Set<String>
  }

  private var inputs: [Input] = []

  /// Collects the inputs of seeds that reach a new outcome, or many at once.
  init(_ seeds: Range<UInt64>) throws {
    var known: Set<String> = []
    for seed in seeds {
      let bytes = Main.input(seed)
      let reached = Set(try EngineProperty.tally(of: bytes).counts.keys)
      if !reached.isSubset(of: known) || reached.count > 24 { inputs.append(Input(seed: seed, length: bytes.count, reached: reached)) }
      known.formUnion(reached)
    }
  }

  /// Writes the chosen inputs, each time the one that adds most outcomes.
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
