public import PropertyKit

/// Typical ways in which disks damage blocks of a file.
public enum DamagePattern: CaseIterable {
  case zeroed, filled, random, bit, sector, misplaced

  /// Damages between 1 and 40 random blocks of a file.
  public static func damaged(_ bytes: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
    var damaged = bytes
    let blocks = (bytes.count + 4095) / 4096
    for _ in 0..<(1 + random.below(40)) {
      let block = random.below(blocks)
      let range = (block * 4096)..<min((block + 1) * 4096, bytes.count)
      random.pick(allCases).damage(range, of: &damaged, using: &random)
    }
    return damaged
  }

  private func damage(_ range: Range<Int>, of bytes: inout [UInt8], using random: inout SeededGenerator) {
    switch self {
    case .zeroed: bytes.replaceSubrange(range, with: repeatElement(0, count: range.count))
    case .filled: bytes.replaceSubrange(range, with: repeatElement(0xFF, count: range.count))
    case .random:
      let word = random.next()
      bytes.replaceSubrange(range, with: range.map { UInt8(truncatingIfNeeded: word >> UInt64($0 % 57)) })
    case .bit: bytes[range.lowerBound + random.below(range.count)] ^= 1 << UInt8(random.below(8))
    case .sector:
      let first = range.lowerBound + random.below((range.count + 511) / 512) * 512
      let sector = first..<min(first + 512, range.upperBound)
      bytes.replaceSubrange(sector, with: repeatElement(0, count: sector.count))
    case .misplaced:
      let source = random.below(bytes.count / 4096) * 4096
      bytes.replaceSubrange(range, with: Array(bytes[source..<(source + range.count)]))
    }
  }
}
