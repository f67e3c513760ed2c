/// The rules for skipping plain values, for all tags.
///
/// Sendable, because the memory behind the pointer never changes. It is never deallocated, because the only table is a
/// global constant.
@safe
package struct PlainValueTable: @unchecked Sendable {
  /// The only instance.
  package static let shared = PlainValueTable()

  private let rules: UnsafePointer<PlainValueRule>

  private init() {
    let rules = UnsafeMutablePointer<PlainValueRule>.allocate(capacity: 256)
    for tag in UInt8.min...UInt8.max { unsafe (rules + Int(tag)).initialize(to: PlainValueRule(tag: tag)) }
    unsafe self.rules = UnsafePointer(rules)
  }

  /// Returns the rule for values with this tag.
  @inline(__always)
  subscript(tag: UInt8) -> PlainValueRule { unsafe rules[Int(tag)] }
}

/// The rule, for one tag, that decides whether a value is *plain* and can be skipped (rules R-6.1-2 and R-6.1-4).
///
/// A plain value has one of the most frequent kinds and is provably valid by this rule alone; plain text is ASCII.
///
/// The kind of the next value is unpredictable. With separate branches for numbers and text, a processor would
/// mispredict about once an entry, at a higher cost than all other work for the entry. These rules give all kinds the
/// same sequence of steps. (Without them, a check takes 2.04 times the instructions.)
struct PlainValueRule {
  /// The bits that must be 0 in the first sixteen bytes after the tag and, for longer text, in the other bytes: the
  /// highest bits of text.
  let clearBits: UInt128
  /// The one of the first eight bytes that shows whether a number is stored in the fewest bytes.
  let significantBits: UInt64
  /// The minimum of those bits: 0 if there is no requirement, and more than they can be for a tag of any other kind.
  let leastSignificant: UInt8
  /// The number of bytes after the tag.
  let count: UInt8
  /// The offset of the last sixteen bytes after the tag, or 0 if there are no more than sixteen.
  let last: UInt8
  /// The offset of the sixteen bytes before those, or 0.
  let middle: UInt8

  /// The number of bytes that must be readable from a tag onward; a check may load all of them.
  @inline(__always)
  static var reach: Int { 80 }

  /// Creates the rule for values with this tag.
  init(tag: UInt8) {
    var textCount: UInt8 = 0
    var significantBits: UInt64 = 0
    var leastSignificant: UInt8 = 0
    let count = UInt8(ValueTag.fixedLength(of: tag) ?? 0)
    switch tag {
    case ValueTag.false, ValueTag.true, ValueTag.smallInteger:
      break
    case ValueTag.positiveInteger:
      significantBits = 0xFF << UInt64(8 * (count - 1))
      leastSignificant = count == 1 ? UInt8(ValueTag.largestSmallInteger) + 1 : 1
    case ValueTag.float64, ValueTag.date:
      significantBits = 0xFF
      leastSignificant = count == 0 ? 0 : 1
    case ValueTag.shortString:
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

  /// Returns the highest bit of each of the first `count` bytes of sixteen.
  private static func highBits(count: UInt8) -> UInt128 {
    let all: UInt128 = 0x8080_8080_8080_8080_8080_8080_8080_8080
    return count == 0 ? 0 : all >> UInt128(128 - 8 * Int(count))
  }
}

extension Span where Element == UInt8 {
  /// Returns the length of the plain value at `offset`, including its tag, or 0 if the value is not plain.
  ///
  /// Also returns 0 if fewer than ``PlainValueRule/reach`` bytes follow. Contains no calls, so the state of its callers
  /// stays in registers. Without `readingContent`, text need not be ASCII, and short containers are plain whatever is in them.
  @inline(__always)
  func lengthOfPlainValue(at offset: Int, by table: PlainValueTable, readingContent: Bool = true) -> Int {
    WorkMeter.count(1)
    guard count >= offset &+ PlainValueRule.reach else { return 0 }
    let tag = self[offset]
    let rule = table[tag]
    let first = offset &+ 1
    var seen: UInt128 = 0
    if readingContent {
      // Loads that overlap cost less than a mispredicted branch on their number.
      seen = uint128(at: first) | uint128(at: first &+ Int(rule.middle & 63)) | uint128(at: first &+ Int(rule.last & 63))
      if rule.middle > 16 { seen |= uint128(at: first &+ 16) }
    }
    guard seen & rule.clearBits == 0, uint64(at: first) & rule.significantBits >= UInt64(rule.leastSignificant) else {
      let isCounted = tag == ValueTag.data || !readingContent && (tag == ValueTag.array || tag == ValueTag.dictionary)
      return isCounted && self[first] < 0x80 ? 2 &+ Int(self[first]) : 0
    }
    return 1 &+ Int(rule.count)
  }
}
