/// The positions of the parts of a file (Spec 4.1).
///
/// It is created after A12, so the parts fit into the file.
struct SlowLayout {
  let metadataLength: Int
  /// The first and the second copy of the metadata.
  let metadataOffsets: [Int]
  /// The first and the second copy of the checksum tree.
  let treeOffsets: [Int]
  let body: Range<Int>
  let tree: SlowTreeShape

  init(_ prefix: SlowPrefix) {
    let fileLength = Int(clamping: prefix.fileLength)
    let treeLength = Int(clamping: prefix.treeLength)
    metadataLength = Int(clamping: prefix.metadataLength)
    let secondTree = fileLength - SlowPrefix.size - treeLength
    metadataOffsets = [SlowPrefix.size, secondTree - metadataLength]
    treeOffsets = [SlowPrefix.size + metadataLength, secondTree]
    let bodyStart = SlowPrefix.size + metadataLength + treeLength
    body = bodyStart..<max(bodyStart, secondTree - metadataLength)
    tree = SlowTreeShape(bodyLength: UInt64(body.count))
  }

  /// The first block of the file that shares bytes with the body.
  var firstBlock: Int { body.lowerBound / Int(SlowTreeShape.blockSize) }

  /// The number of blocks that share bytes with the body: `n1` or `n1 - 1`.
  var blockCount: Int {
    body.isEmpty ? 0 : (body.upperBound - 1) / Int(SlowTreeShape.blockSize) - firstBlock + 1
  }

  /// Returns the bytes of the body in block `firstBlock + place`.
  func bodyPart(ofBlock place: Int) -> Range<Int> {
    let start = (firstBlock + place) * Int(SlowTreeShape.blockSize)
    return (start..<start + Int(SlowTreeShape.blockSize)).clamped(to: body)
  }
}
