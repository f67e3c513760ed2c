/// Makes one whole copy out of two damaged ones, if the checksum says that it is right.
///
/// Disks lose whole sectors and blocks. Two copies lie at different places on that grid, so what one has lost the other one often has:
///
///     first copy     aaaa aaaa xxxx xxxx
///     second copy    yyyy aaaa aaaa aaaa
///     tried          from each part in which they differ the first or the second, until the checksum is right
package enum CopySplicer {
  /// How many parts may differ: each doubles what is tried.
  private static let mostParts = 8

  /// The bytes that hash to `digest`, taken part by part from the ranges `first` and `second` of the file; nil if there are none.
  ///
  /// - Complexity: O(n), but for a factor of up to 256.
  package static func splice(
    _ bytes: [UInt8], _ first: Range<Int>, _ second: Range<Int>, seed: UInt64, digest: UInt64
  ) -> [UInt8]? {
    guard first.upperBound <= bytes.count, second.upperBound <= bytes.count else { return nil }
    for grid in [ChecksumTree.blockSize, ChecksumTree.blockSize / 8] {
      let parts = differingParts(bytes, first, second, grid: grid)
      guard parts.count <= mostParts else { continue }
      var copy = Array(bytes[first])
      // The first and the last choice are the two copies themselves, which are damaged.
      for choice in 1..<max(1 << parts.count - 1, 1) {
        for (number, part) in parts.enumerated() {
          let start = choice >> number & 1 == 0 ? first.lowerBound : second.lowerBound
          copy.replaceSubrange(part, with: bytes[(start + part.lowerBound)..<(start + part.upperBound)])
        }
        if XXH64.hash(copy.span, seed: seed) == digest { return copy }
      }
    }
    return nil
  }

  /// The parts, between lines of the grid in either copy, in which the copies differ, as places in a copy; at most one more than may be.
  private static func differingParts(_ bytes: [UInt8], _ first: Range<Int>, _ second: Range<Int>, grid: Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    let span = bytes.span
    var start = 0
    while start < first.count, parts.count <= mostParts {
      let next = [first.lowerBound, second.lowerBound].map { ($0 + start) / grid * grid + grid - $0 }.min() ?? first.count
      let part = start..<min(next, first.count)
      let (left, right) = (first.lowerBound, second.lowerBound)
      if span.extracting((left + start)..<(left + part.upperBound)).compare(
        with: span.extracting((right + start)..<(right + part.upperBound))) != 0
      {
        parts.append(part)
      }
      start = part.upperBound
    }
    return parts
  }
}
