extension Span where Element == UInt8 {
  /// Returns the length of the plain value at `offset`, including its tag, or 0 if the value is not plain.
  ///
  /// Also returns 0 if fewer than ``PlainValueRule/reach`` bytes follow. Contains no calls, so the state of its callers
  /// stays in registers.
  @inline(__always)
  func lengthOfPlainValue(at offset: Int, by table: PlainValueTable) -> Int {
    WorkMeter.count(1)
    guard count >= offset &+ PlainValueRule.reach else { return 0 }
    let tag = self[offset]
    let rule = table[tag]
    let first = offset &+ 1
    // Loads that overlap cost less than a mispredicted branch on their number.
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
