/// A single fault: a stable code, its location, the expected and found content, and the broken rule (Spec §12).
///
/// An error never contains an archived value. The details are in one allocation, so that functions that can throw the
/// error stay cheap to call.
@usableFromInline
package struct FormatError: Error, Sendable {
  /// An expected or found quantity.
  package enum Quantity: Sendable, Hashable {
    /// No quantity.
    case nothing
    /// A number, and the radix in which it is printed: 10 or 16.
    case integer(UInt64, radix: Int)
    /// Text.
    case text(String)
  }

  private final class Details: Sendable {
    let code: FormatErrorCode
    let offset: Int?
    let subject: String
    let expected: Quantity
    let found: Quantity
    let node: Int?
    let rule: StaticString

    init(
      code: FormatErrorCode, offset: Int?, subject: String, expected: Quantity, found: Quantity, node: Int?, rule: StaticString
    ) {
      self.code = code
      self.offset = offset
      self.subject = subject
      self.expected = expected
      self.found = found
      self.node = node
      self.rule = rule
    }
  }

  private let details: Details

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - code: The kind of fault.
  ///   - offset: The offset in the file of the faulty field, if the fault is in a file.
  ///   - subject: The faulty thing, in words. The default is the code in words.
  ///   - expected: The content of a valid file.
  ///   - found: The content of this file.
  ///   - node: The number of the faulty node, if only the thrower knows it.
  ///   - rule: The broken rule. The default is the main rule of the code.
  @inline(never)
  package init(
    _ code: FormatErrorCode, at offset: Int?, _ subject: String? = nil, expected: Quantity = .nothing, found: Quantity = .nothing,
    node: Int? = nil, rule: StaticString? = nil
  ) {
    details = Details(
      code: code, offset: offset, subject: subject ?? code.words, expected: expected, found: found, node: node,
      rule: rule ?? code.rule)
  }

  /// The kind of fault.
  package var code: FormatErrorCode { details.code }
  /// The offset in the file of the faulty field.
  package var offset: Int? { details.offset }
  /// The faulty thing, in words.
  package var subject: String { details.subject }
  /// The content of a valid file.
  package var expected: Quantity { details.expected }
  /// The content of this file.
  package var found: Quantity { details.found }
  /// The number of the faulty node, if only the thrower knew it.
  package var node: Int? { details.node }
  /// The broken rule.
  package var rule: StaticString { details.rule }
}

extension FormatErrorCode {
  /// The code in words, for messages with no more precise subject.
  fileprivate var words: String {
    String(rawValue.map { $0 == "-" ? " " : $0 })
  }
}

extension FormatError.Quantity: ExpressibleByStringInterpolation {
  package init(stringLiteral text: String) { self = .text(text) }

  /// A number or count, which must not be negative.
  package static func number(_ value: some BinaryInteger) -> Self { .integer(UInt64(value), radix: 10) }

  /// A number printed in hexadecimal: a checksum, a tag, a set of bits.
  package static func hexadecimal(_ value: some BinaryInteger) -> Self { .integer(UInt64(value), radix: 16) }
}

extension FormatError.Quantity: CustomStringConvertible {
  package var description: String {
    switch self {
    case .nothing: ""
    case .integer(let value, radix: 10): "\(value)"
    case .integer(let value, let radix): "0x\(String(value, radix: radix))"
    case .text(let words): words
    }
  }
}
