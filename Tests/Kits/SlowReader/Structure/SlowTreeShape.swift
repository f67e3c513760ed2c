/// The number of entries on each level of the checksum tree (Spec 4.4).
///
/// It depends only on the length of the body.
struct SlowTreeShape {
  static let blockSize: UInt64 = 4096
  static let entriesPerNode: UInt64 = 512

  /// The number of entries on each level, leaves first: `n1`, `n2` and so on.
  let levels: [UInt64]

  init(bodyLength: UInt64) {
    var counts = [Self.ceilingOfDivision(bodyLength, Self.blockSize) + 1]
    while let top = counts.last, top > Self.entriesPerNode {
      counts.append(Self.ceilingOfDivision(top, Self.entriesPerNode))
    }
    levels = counts
  }

  /// The length of the tree: `t`.
  var length: UInt64 { 8 * levels.reduce(0, +) }

  static func ceilingOfDivision(_ dividend: UInt64, _ divisor: UInt64) -> UInt64 {
    dividend / divisor + (dividend % divisor == 0 ? 0 : 1)
  }
}
