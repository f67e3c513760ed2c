/// Reconstructs an intact copy from two damaged ones, accepted only if its checksum is correct.
///
/// Disks lose whole sectors and blocks. The two copies lie at different positions on that grid, so a part lost in one
/// is often intact in the other:
///
///     first copy     aaaa aaaa xxxx xxxx
///     second copy    yyyy aaaa aaaa aaaa
///     candidates     the first or the second of each part that differs, until the checksum is correct
package enum CopySplicer {
  /// The maximum number of parts that differ: each doubles the number of candidates.
  private static let maximumDifferingParts = 8

  /// Returns bytes that hash to `digest`, combined from the ranges `first` and `second` of the file, or nil.
  ///
  /// - Complexity: O(n), with a factor of up to 256.
  package static func splice(
    _ bytes: [UInt8], _ first: Range<Int>, _ second: Range<Int>, seed: UInt64, digest: UInt64
  ) -> [UInt8]? {
    guard first.upperBound <= bytes.count, second.upperBound <= bytes.count else { return nil }
    for grid in [ChecksumTree.blockSize, ChecksumTree.blockSize / 8] {
      let parts = differingParts(bytes, first, second, grid: grid)
      guard parts.count <= maximumDifferingParts else { continue }
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

  /// Returns the ranges in a copy in which the copies differ, split at the grid lines of either copy.
  ///
  /// Stops at one more than the maximum.
  private static func differingParts(_ bytes: [UInt8], _ first: Range<Int>, _ second: Range<Int>, grid: Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    let span = bytes.span
    var start = 0
    while start < first.count, parts.count <= maximumDifferingParts {
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
