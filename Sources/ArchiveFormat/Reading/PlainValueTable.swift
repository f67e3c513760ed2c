/// The rules by which values are passed over, of all tags.
///
/// An object, because whoever takes an inline array out of a global variable copies all of it.
package final class PlainValueTable: Sendable {
  /// The only one.
  package static let shared = PlainValueTable()

  private let rules = InlineArray<256, PlainValueRule> { PlainValueRule(tag: UInt8($0)) }

  private init() {}

  /// The rule of values with this tag.
  @inline(__always)
  subscript(tag: UInt8) -> PlainValueRule { rules[Int(tag)] }
}
