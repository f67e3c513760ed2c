/// An offset as a table writes it down: over the layout of the file, so that no number has to be counted out.
enum Place: Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// An offset in the file.
  case absolute(Int)
  /// So many bytes behind the first byte of a field.
  case field(String, plus: Int)
  /// Directly behind the last byte of a field.
  case end(String)

  init(stringLiteral value: String) { self = .field(value, plus: 0) }
  init(integerLiteral value: Int) { self = .absolute(value) }

  /// The offset in a file.
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
