import ArchiveFormat
import CorpusKit
import PropertyKit
import FoundationEssentials
import RestorationArchive

/// Does everything that can be done with a file to each file of the corpus with one bit inverted, and to each beginning of it.
///
/// Files of up to 4 KiB have every bit inverted, or every `step`-th, longer ones some bits drawn from a seed. It prints what went wrong, then
/// how many files, flips and beginnings there were. A trap ends it without that line.
struct FlipProbe {
  /// How many bits are inverted in a file of more than 4 KiB.
  private static let seededFlips = 200
  /// Longer files than this are left to other tests.
  private static let longest = 65_536

  let step: Int
  private var fileCount = 0
  private var flipCount = 0
  private var cutCount = 0

  init(step: Int) {
    self.step = step
  }

  /// Every `parts`-th file of the corpus, from number `part` on.
  mutating func run(part: Int, of parts: Int) throws {
    for (number, file) in try Corpus.files().enumerated() where number % parts == part && file.bytes.count <= Self.longest {
      fileCount += 1
      try run(file, number)
    }
    print("\(fileCount) files, \(flipCount) flips, \(cutCount) beginnings")
  }

  private mutating func run(_ file: CorpusFile, _ number: Int) throws {
    let original = Original(file.bytes)
    var bytes = file.bytes
    for bit in bits(of: bytes, number) {
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      if let fault = original.fault(of: bytes) { print("\(file.path), bit \(bit): \(fault)") }
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      flipCount += 1
    }
    let stride = bytes.count <= 4096 ? step : max(bytes.count * step / 100, 1)
    for length in Swift.stride(from: number % stride, to: bytes.count, by: stride) {
      if let fault = original.fault(of: Array(bytes.prefix(length))) { print("\(file.path), cut at \(length): \(fault)") }
      cutCount += 1
    }
  }

  private func bits(of bytes: [UInt8], _ number: Int) -> [Int] {
    let count = bytes.count * 8
    if bytes.count <= 4096 { return Array(Swift.stride(from: number % step, to: count, by: step)) }
    var random = SeededGenerator(seed: UInt64(number))
    return (0..<max(Self.seededFlips / step, 1)).map { _ in random.below(count) }
  }
}

/// What a file says before it is changed.
private struct Original {
  private let isValid: Bool
  /// What is read of it; nil if nothing can be, or if its copies contradict each other: then either is the file's own word.
  private let tree: ArchiveTree?

  init(_ bytes: [UInt8]) {
    let check = ArchiveCheck(bytes)
    isValid = check.isValid
    let isContradictory = check.findings.contains { $0.code.rawValue == "prefix-copies-differ" }
    tree = isContradictory ? nil : try? ArchiveTree(decoding: ArchiveReader(bytes))
  }

  /// What is wrong with how a changed copy is read, if anything.
  func fault(of bytes: [UInt8]) -> String? {
    for operation in Inspection.allCases { operation.perform(on: bytes) }
    if isValid, ArchiveCheck(bytes).isValid { return "nothing was found" }
    if let tree, let read = try? ArchiveTree(decoding: ArchiveReader(bytes)), read != tree { return "another content was read" }
    let salvage = ArchiveSalvage(bytes)
    guard let archive = salvage.archive else { return salvage.failure == nil ? "salvage gives neither an archive nor a reason" : nil }
    if isValid, salvage.losses.isEmpty { return salvage.tree == tree ? nil : "salvage altered the content" }
    return ArchiveCheck(archive).isValid ? nil : "salvage gives an archive that is not valid"
  }
}
