extension Span where Element == UInt8 {
  /// How long a value of one of the most frequent kinds is, its tag at `offset` included, if nothing can be wrong in it, not even in text; 0 if
  /// something can, if it is of another kind, or if not enough bytes are behind it.
  ///
  /// It calls nothing, so that all that its callers know is in registers.
  @inline(__always)
  func lengthOfPlainValue(at offset: Int, by table: PlainValueTable) -> Int {
    WorkMeter.count(1)
    guard count >= offset &+ PlainValueRule.reach else { return 0 }
    let tag = self[offset]
    let rule = table[tag]
    let first = offset &+ 1
    // Looks that see bytes again cost less than a wrong guess of how many it takes.
    let start = uint128(at: first)
    var seen = start | uint128(at: first &+ Int(rule.middle & 63)) | uint128(at: first &+ Int(rule.last & 63))
    if rule.middle > 16 { seen |= uint128(at: first &+ 16) }
    let significant = UInt64(truncatingIfNeeded: start) & rule.significantBits
    guard seen & rule.clearBits == 0, significant >= UInt64(rule.leastSignificant) else {
      return tag == ValueTag.data && self[first] < 0x80 ? 2 &+ Int(self[first]) : 0
    }
    return 1 &+ Int(rule.count)
  }
}
