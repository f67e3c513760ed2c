/// An offset as written in a table, by field labels instead of numbers.
enum Place: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// An offset in the file.
  case absolute(Int)
  /// An offset relative to the first byte of a field.
  case field(String, plus: Int)
  /// The offset after the last byte of a field.
  case end(String)

  init(stringLiteral value: String) { self = .field(value, plus: 0) }
  init(integerLiteral value: Int) { self = .absolute(value) }

  /// Returns the offset in a file.
  func offset(in file: Assembly) throws -> Int {
    switch self {
    case .absolute(let offset): return offset
    case .field(let label, let plus): return try Self.range(of: label, in: file).lowerBound + plus
    case .end(let label): return try Self.range(of: label, in: file).upperBound
    }
  }

  private static func range(of label: String, in file: Assembly) throws -> Range<Int> {
    guard let range = file.places[label] else { throw BlueprintError("no field \(label)") }
    return range
  }
}
