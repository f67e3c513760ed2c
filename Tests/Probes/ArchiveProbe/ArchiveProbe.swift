import SlowReader
import PropertyKit
import FoundationEssentials
import RestorationArchive

/// What some tests need a process of its own for.
///
///     archive-probe digests FIRST LAST     the digests of generated archives, encoded in an order that differs from run to run
///     archive-probe peak FILE OPERATION    how much memory an operation on a file needs at its peak
///     archive-probe mutations FIRST LAST   what is out of bounds of memory and work for mutations with these seeds
///     archive-probe built COUNT            the same for files that were made to cost much, of about 48 x COUNT bytes
///     archive-probe flips PART PARTS STEP  all that can be done with each file of the corpus with one bit inverted, and cut at each length
///     archive-probe idle BYTES             how much memory is measured for so many bytes
@main
struct ArchiveProbe {
  static func main() throws {
    let arguments = CommandLine.arguments + ["", ""]
    // The first measurement sets up what the others need.
    _ = try PeakMemory.growth {}
    let (first, second) = (Int(arguments[2]) ?? 0, Int(arguments[3]) ?? 0)
    switch arguments[1] {
    case "digests": try printDigests(UInt64(first), UInt64(second))
    case "peak": try printPeak(file: arguments[2], operation: arguments[3])
    case "mutations", "built":
      // Everything that is loaded or set up once must not count, so all is done once on the smallest archive.
      let smallest = [UInt8](try ArchiveTree().encoded())
      for operation in Inspection.allCases { operation.perform(on: smallest) }
      var probe = BoundsProbe()
      if arguments[1] == "built" { try probe.measureBuilt(first) } else { try probe.measureMutations(first...second) }
      probe.finish()
    case "flips":
      var probe = FlipProbe(step: max(Int(arguments.count > 6 ? arguments[4] : "1") ?? 1, 1))
      try probe.run(part: first, of: max(second, 1))
    case "idle": print(try PeakMemory.growth { precondition([UInt8](repeating: 1, count: first).count == first) })
    default:
      print(
        "usage: archive-probe digests FIRST LAST | peak FILE OPERATION | mutations FIRST LAST | built COUNT | flips PART PARTS STEP | idle BYTES"
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
    // What is set up once is not what is asked for.
    perform([UInt8](try ArchiveTree().encoded()))
    let bytes = try FileByteSource(path: file).readAll()
    print(try PeakMemory.growth { perform(bytes) })
  }
}
