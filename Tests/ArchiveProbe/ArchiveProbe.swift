import CorpusKit
import FoundationEssentials
import RestorationArchive

/// What some tests need a process of its own for.
///
///     archive-probe digests FIRST LAST     the digests of generated archives, encoded in an order that differs from run to run
///     archive-probe peak FILE OPERATION    how much memory an operation on a file needs at its peak
@main
struct ArchiveProbe {
  static func main() throws {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "digests":
      try printDigests(UInt64(arguments[2]) ?? 0, UInt64(arguments[3]) ?? 0)
    case "peak":
      try PeakMemory.measure(file: arguments[2], operation: arguments[3])
    default:
      print("usage: archive-probe digests FIRST LAST | peak FILE OPERATION")
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
}
