/// One fault: a stable code, where it is, what was expected and found, and the rule (Spec §12).
///
/// It never holds an archived value. The details are in one allocation, so that the functions that can throw it stay cheap to call.
@usableFromInline
package struct FormatError: Error, Sendable {
  /// Something that was expected or found.
  package enum Quantity: Sendable, Hashable {
    /// Nothing to say.
    case nothing
    /// A number or count.
    case number(UInt64)
    /// A number that reads best in hexadecimal: a checksum, a tag, a set of bits.
    case hexadecimal(UInt64)
    /// Words.
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

  /// Makes an error.
  ///
  /// - Parameters:
  ///   - code: What went wrong.
  ///   - offset: The offset in the file of the field at fault, if it is in a file.
  ///   - subject: What the fault is about, in words; the code's words if left out.
  ///   - expected: What a valid file would have.
  ///   - found: What this one has.
  ///   - node: The number of the node at fault, where only the thrower knows it.
  ///   - rule: The rule that is broken; the code's main rule if left out.
  @inline(never)
  package init(
    _ code: FormatErrorCode, at offset: Int?, _ subject: String? = nil, expected: Quantity = .nothing, found: Quantity = .nothing,
    node: Int? = nil, rule: StaticString? = nil
  ) {
    details = Details(
      code: code, offset: offset, subject: subject ?? code.words, expected: expected, found: found, node: node,
      rule: rule ?? code.rule)
  }

  /// What went wrong.
  package var code: FormatErrorCode { details.code }
  /// The offset in the file of the field at fault.
  package var offset: Int? { details.offset }
  /// What the fault is about.
  package var subject: String { details.subject }
  /// What a valid file would have.
  package var expected: Quantity { details.expected }
  /// What this one has.
  package var found: Quantity { details.found }
  /// The number of the node at fault, where only the thrower knew it.
  package var node: Int? { details.node }
  /// The rule that is broken.
  package var rule: StaticString { details.rule }
}

extension FormatErrorCode {
  /// The code as words, for messages that have nothing more precise to say.
  fileprivate var words: String {
    String(rawValue.map { $0 == "-" ? " " : $0 })
  }
}

extension FormatError.Quantity: CustomStringConvertible {
  package var description: String {
    switch self {
    case .nothing: ""
    case .number(let value): "\(value)"
    case .hexadecimal(let value): "0x\(String(value, radix: 16))"
    case .text(let words): words
    }
  }
}
