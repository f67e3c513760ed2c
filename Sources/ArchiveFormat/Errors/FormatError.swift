/// A single fault: a stable code, its location, the expected and found content, and the broken rule (Spec §12).
///
/// An error never contains an archived value. A class, because functions that can throw a single reference stay cheap to
/// call.
@usableFromInline
package final class FormatError: Error, Sendable {
  /// An expected or found quantity.
  package enum Quantity: Sendable, Hashable {
    /// No quantity.
    case nothing
    /// A number, and the radix in which it is printed: 10 or 16.
    case integer(UInt64, radix: Int)
    /// Text.
    case text(String)
  }

  /// The kind of fault.
  package let code: FormatErrorCode
  /// The offset in the file of the faulty field.
  package let offset: Int?
  /// The faulty thing, in words.
  package let subject: String
  /// The content of a valid file.
  package let expected: Quantity
  /// The content of this file.
  package let found: Quantity
  /// The number of the faulty node, if only the thrower knew it.
  package let node: Int?
  /// The broken rule.
  package let rule: StaticString

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
    self.code = code
    self.offset = offset
    self.subject = subject ?? code.words
    self.expected = expected
    self.found = found
    self.node = node
    self.rule = rule ?? code.rule
  }

  /// Throws `string-length` unless the length of a text in bytes is within bounds.
  package static func checkLength(
    _ length: Int, _ bounds: ClosedRange<Int>, at offset: Int? = nil, _ subject: String, rule: StaticString? = nil
  ) throws(FormatError) {
    if bounds.contains(length) { return }
    let least = bounds.lowerBound == 0 ? "at most" : "\(bounds.lowerBound) to"
    throw FormatError(
      .stringLength, at: offset, subject, expected: "\(least) \(bounds.upperBound) bytes", found: .number(length), rule: rule)
  }

  /// The error for a url without text.
  package static func emptyURL(at offset: Int? = nil) -> FormatError {
    FormatError(.stringLength, at: offset, "url length", expected: "at least one byte", found: .number(0))
  }

  /// The error for a reference without components.
  package static func emptyReference(at offset: Int? = nil) -> FormatError {
    FormatError(.emptyReference, at: offset, "reference", expected: "at least one component")
  }
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
