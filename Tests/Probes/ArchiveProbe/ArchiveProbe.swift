import SlowReader
import PropertyKit
import Foundation
import RestorationArchive

/// Measurements for tests that need a separate process.
///
///     archive-probe digests FIRST LAST     prints the digests of generated archives, encoded in random order
///     archive-probe peak FILE OPERATION    prints the peak memory of an operation on a file
///     archive-probe mutations FIRST LAST   prints the mutations that exceed the bounds of memory or work
///     archive-probe built COUNT            the same for hostile files of about 48 x COUNT bytes
///     archive-probe flips PART PARTS STEP  runs all operations on corpus files with one bit inverted, or cut
///     archive-probe chain COUNT            prints the length of a link, and the time of a chain, for COUNT nodes
///     archive-probe difference COUNT COUNT prints the work of hard comparisons, for two counts of nodes
///     archive-probe lists BYTES            prints memory, work and time of reading hostile property lists
///     archive-probe idle BYTES             prints the memory measured for an allocation of so many bytes
@main
struct ArchiveProbe {
  static func main() throws {
    let arguments = CommandLine.arguments + ["", ""]
    // The first measurement performs the set-up for the others.
    _ = try PeakMemory.growth {}
    let (first, second) = (Int(arguments[2]) ?? 0, Int(arguments[3]) ?? 0)
    switch arguments[1] {
    case "digests": try printDigests(UInt64(first), UInt64(second))
    case "peak": try printPeak(file: arguments[2], operation: arguments[3])
    case "mutations", "built":
      // One-time set-up must not be counted, so every operation first runs once on the smallest archive.
      let smallest = [UInt8](try ArchiveTree().encoded())
      for operation in Inspection.allCases { operation.perform(on: smallest) }
      var probe = BoundsProbe()
      if arguments[1] == "built" { try probe.measureBuilt(first) } else { try probe.measureMutations(first...second) }
      probe.finish()
    case "flips":
      var probe = FlipProbe(step: max(Int(arguments.count > 6 ? arguments[4] : "1") ?? 1, 1))
      try probe.run(part: first, of: max(second, 1))
    case "chain": try ChainProbe().measure(nodeCount: first)
    case "difference": try DifferenceProbe().measure(counts: [first, second])
    case "lists":
      _ = try ListProbe().measure(1000)
      let isWithin = try ListProbe().measure(first)
      precondition(isWithin, "an operation took too much memory")
    case "idle": print(try PeakMemory.growth { precondition([UInt8](repeating: 1, count: first).count == first) })
    default:
      print(
        "usage: archive-probe digests FIRST LAST | peak FILE OPERATION | mutations FIRST LAST | built COUNT | flips PART PARTS STEP | chain COUNT | difference COUNT COUNT | lists BYTES | idle BYTES"
      )
    }
  }

  private static func printDigests(_ first: UInt64, _ last: UInt64) throws {
    var random = SystemRandomNumberGenerator()
    for seed in first...last {
      var generator = TreeGenerator(seed: seed)
      let archive = try encodedInShuffledOrder(generator.tree(), using: &random)
      let digest = try ArchiveReader(archive).contentDigest
      print(seed, archive.count, digest, SlowXXH64.hash([UInt8](archive), seed: 0))
    }
  }

  private static func printPeak(file: String, operation: String) throws {
    let perform: ([UInt8]) -> Void
    if let operation = Inspection(rawValue: operation) {
      perform = { operation.perform(on: $0) }
    } else if let operation = Listing(rawValue: operation) {
      perform = { operation.perform(on: $0) }
    } else {
      return print("no such operation")
    }
    // One-time set-up must not be counted.
    perform([UInt8](try ArchiveTree().encoded()))
    let bytes = try FileByteSource(path: file).readAll()
    print(try PeakMemory.growth { perform(bytes) })
  }
}
