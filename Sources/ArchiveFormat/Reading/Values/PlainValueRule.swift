/// What is asked of a value of one of the most frequent kinds so that it may be passed over, by its tag (rules R-6.1-2 and R-6.1-4, and that
/// text is ASCII).
///
/// Nobody can foresee the kind of the next value, so a processor that is asked to do one thing for numbers and another for text guesses wrong
/// about once an entry, and loses more by it than all the work for an entry takes. By these rules each of them takes the same steps.
struct PlainValueRule {
  /// Which bits must be 0 in the first sixteen bytes behind the tag and, in longer text, in the others: the highest bits of text.
  let clearBits: UInt128
  /// Which of the first eight bytes shows whether a number is stored in the fewest bytes.
  let significantBits: UInt64
  /// The least that those bits may be: 0 if nothing is asked of them, and more than they ever are if the tag is of another kind.
  let leastSignificant: UInt8
  /// How many bytes follow the tag.
  let count: UInt8
  /// Where the last sixteen of the bytes behind the tag begin, or 0 if there are no more than that.
  let last: UInt8
  /// Where the sixteen in front of those begin, or 0.
  let middle: UInt8

  /// How many bytes must be there from a tag on, be they of its value or not: all that may be looked at for any tag.
  @inline(__always)
  static var reach: Int { 80 }

  /// The rule of values with this tag.
  init(tag: UInt8) {
    var textCount: UInt8 = 0
    var significantBits: UInt64 = 0
    var leastSignificant: UInt8 = 0
    var count: UInt8 = 0
    switch tag {
    case ValueTag.false, ValueTag.true, ValueTag.smallInteger:
      break
    case ValueTag.positiveInteger:
      count = tag - ValueTag.positiveInteger.lowerBound + 1
      significantBits = 0xFF << UInt64(8 * (count - 1))
      leastSignificant = count == 1 ? UInt8(ValueTag.largestSmallInteger) + 1 : 1
    case ValueTag.float64, ValueTag.date:
      count = tag - (tag < ValueTag.date.lowerBound ? ValueTag.float64 : ValueTag.date).lowerBound
      significantBits = 0xFF
      leastSignificant = count == 0 ? 0 : 1
    case ValueTag.shortString:
      count = tag - ValueTag.shortString.lowerBound
      textCount = count
    default:
      leastSignificant = 1
    }
    clearBits = Self.highBits(count: min(textCount, 16))
    self.significantBits = significantBits
    self.leastSignificant = leastSignificant
    self.count = count
    last = max(count, 16) - 16
    middle = max(count, 32) - 32
  }

  /// The highest bit of each of the first `count` bytes of sixteen.
  private static func highBits(count: UInt8) -> UInt128 {
    let all: UInt128 = 0x8080_8080_8080_8080_8080_8080_8080_8080
    return count == 0 ? 0 : all >> UInt128(128 - 8 * Int(count))
  }
}
