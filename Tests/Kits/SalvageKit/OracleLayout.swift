import Foundation

/// The layout of an archive with at most two levels of checksums, computed naively from the numbers of Spec §4.
struct OracleLayout: Sendable {
  private let body: Range<Int>
  private let metadataLength: Int
  private let treeLength: Int
  private let fileLength: Int

  init(_ bytes: [UInt8]) {
    fileLength = bytes.count
    metadataLength = ArchiveSections.word(bytes, 24)
    treeLength = ArchiveSections.word(bytes, 28)
    body = (64 + metadataLength + treeLength)..<(bytes.count - 64 - metadataLength - treeLength)
  }

  /// Whether a copy of the volatile header is intact.
  func hasVolatileHeader(_ damaged: Data, original: Data) -> Bool {
    [64, body.upperBound].contains { $0 + 192 <= damaged.count && damaged[$0..<($0 + 192)] == original[$0..<($0 + 192)] }
  }

  /// For each block of the file, whether it is untrusted; nil if all are.
  ///
  /// If both copies of a tree node are damaged in different places, salvage may have assembled an intact one.
  ///
  /// `Data` compares slices at once; without optimization, arrays compare byte by byte.
  func damage(of damaged: Data, original: Data, lost: [Range<Int>]) -> [Bool]? {
    func isIntact(_ range: Range<Int>) -> Bool {
      range.upperBound <= damaged.count && damaged[range] == original[range]
    }
    let hasFront = isIntact(0..<64)
    let hasBack = damaged.count == fileLength && isIntact((fileLength - 64)..<fileLength)
    // The volatile header may be lost.
    let metadata = [64, body.upperBound].contains { isIntact(($0 + 192)..<($0 + metadataLength)) }
    guard hasFront || hasBack, metadata else { return nil }
    // From the top down: one node of up to 512 entries, or one level above several such nodes.
    let trees = [64 + metadataLength, body.upperBound + metadataLength]
    let leafCount = (body.count + 4095) / 4096 + 1
    let topCount = leafCount > 512 ? (leafCount + 511) / 512 : 0
    let hasTop = topCount == 0 || trees.contains { isIntact($0..<($0 + 8 * topCount)) }
    let first = body.lowerBound / 4096
    let hasNode = (0..<max(topCount, 1)).map { node in
      let copies = trees.map { (start: $0 + 8 * topCount + node * 4096, end: $0 + treeLength) }
      if copies.contains(where: { isIntact($0.start..<min($0.start + 4096, $0.end)) }) { return true }
      let below = ((first + 512 * node) * 4096..<(first + 512 * (node + 1)) * 4096).clamped(to: body)
      let count = min(copies[0].start + 4096, copies[0].end) - copies[0].start
      let isCovered = (0..<count).allSatisfy { offset in copies.contains { isIntact(($0.start + offset)..<($0.start + offset + 1)) } }
      return isCovered && !lost.contains { $0.clamped(to: below) == below }
    }
    return (0...((fileLength - 1) / 4096)).map { block in
      let range = (block * 4096..<(block + 1) * 4096).clamped(to: body)
      if range.isEmpty { return false }
      return !hasTop || !hasNode[(block - first) / 512] || !isIntact(range)
    }
  }
}
