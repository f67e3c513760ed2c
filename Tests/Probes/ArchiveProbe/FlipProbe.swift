import ArchiveFormat
import CorpusKit
import PropertyKit
import Foundation
import RestorationArchive

/// Runs all operations on each corpus file with one bit inverted, and on each of its beginnings.
///
/// In files of up to 4 KiB, every bit is inverted, or every `step`-th; in longer ones, some bits drawn from a seed. The
/// probe prints the errors, then the number of files, flips and beginnings. A trap ends it without that line.
struct FlipProbe {
  /// The number of bits inverted in a file of more than 4 KiB.
  private static let seededFlips = 200
  /// The limit of the file length; other tests cover longer files.
  private static let longest = 65_536

  let step: Int
  private var fileCount = 0
  private var flipCount = 0
  private var cutCount = 0

  init(step: Int) {
    self.step = step
  }

  /// Runs every `parts`-th corpus file, beginning with number `part`.
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

/// The content of a file before it is changed.
private struct Original {
  private let isValid: Bool
  /// The decoded content; nil if it cannot be decoded, or if the copies contradict each other, so that either is valid.
  private let tree: ArchiveTree?

  init(_ bytes: [UInt8]) {
    let check = ArchiveCheck(bytes)
    isValid = check.isValid
    let isContradictory = check.findings.contains { $0.code.rawValue == "prefix-copies-differ" }
    tree = isContradictory ? nil : try? ArchiveTree(decoding: ArchiveReader(bytes))
  }

  /// Returns the error in reading a changed copy, or nil.
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
