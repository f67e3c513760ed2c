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
