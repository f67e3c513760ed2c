import ArchiveFormat
import Foundation
import RestorationArchive

/// The fields of an object of a Foundation class.
struct ObjectFields {
  private let fields: ArchiveDictionary
  private let decoding: ObjectDecoding

  init(_ fields: ArchiveDictionary, decoding: ObjectDecoding) {
    self.fields = fields
    self.decoding = decoding
  }

  func string(_ name: String) throws -> String {
    guard let text = try stringIfPresent(name) else { throw decoding.wrongType("a string", nil) }
    return text
  }

  func stringIfPresent(_ name: String) throws -> String? {
    guard let value = fields[name] else { return nil }
    guard case .string(let text) = value else { throw decoding.wrongType("a string", value) }
    return text
  }

  func integer(_ name: String) throws -> Int {
    guard let number = try integerIfPresent(name) else { throw decoding.wrongType("an integer", nil) }
    return number
  }

  func integerIfPresent(_ name: String) throws -> Int? {
    guard let value = fields[name] else { return nil }
    guard case .integer(let number) = value, let integer = number.converted(to: Int.self) else {
      throw decoding.wrongType("an integer", value)
    }
    return integer
  }

  func double(_ name: String) throws -> Double {
    guard case .float(let number)? = fields[name] else { throw decoding.wrongType("a floating-point number", fields[name]) }
    return number
  }

  /// Returns whether there is a Boolean value, and it is true.
  func isTrue(_ name: String) throws -> Bool {
    guard let value = fields[name] else { return false }
    guard case .bool(let isTrue) = value else { throw decoding.wrongType("a bool", value) }
    return isTrue
  }

  func date(_ name: String) throws -> Date {
    guard case .date(let date)? = fields[name] else { throw decoding.wrongType("a date", fields[name]) }
    return date
  }

  func value(_ name: String) throws -> ArchiveValue {
    guard let value = fields[name] else { throw decoding.wrongType("a value", nil) }
    return value
  }

  /// Returns the fields of an object of a Foundation class.
  func object(_ name: String, of kind: FoundationClass) throws -> ObjectFields {
    guard let object = try objectIfPresent(name, of: kind) else { throw decoding.wrongType("a \(kind.rawValue)", nil) }
    return object
  }

  /// Returns the fields of an object of a Foundation class, or nil if there is no such field.
  func objectIfPresent(_ name: String, of kind: FoundationClass) throws -> ObjectFields? {
    guard let value = fields[name] else { return nil }
    guard case .dictionary(let object) = value, object[ObjectField.className] == .string(kind.rawValue) else {
      throw decoding.wrongType("a \(kind.rawValue)", value)
    }
    return ObjectFields(object, decoding: decoding)
  }

  func data(_ name: String) throws -> Data {
    guard case .data(let data)? = fields[name] else { throw decoding.wrongType("data", fields[name]) }
    return data
  }

  func array(_ name: String) throws -> [ArchiveValue] {
    guard case .array(let elements)? = fields[name] else { throw decoding.wrongType("an array", fields[name]) }
    return elements
  }

  func integers(_ name: String) throws -> [Int] {
    try array(name).map { value in
      guard case .integer(let number) = value, let integer = number.converted(to: Int.self) else {
        throw decoding.wrongType("an integer", value)
      }
      return integer
    }
  }

  /// Returns a fixed number of floating-point numbers, or nil if there is no such field.
  func numbersIfPresent(_ name: String, count: Int) throws -> [Double]? {
    guard fields[name] != nil else { return nil }
    let numbers = try array(name).map { value in
      guard case .float(let number) = value else { throw decoding.wrongType("a floating-point number", value) }
      return number
    }
    guard numbers.count == count else { throw decoding.invalid("\(count) numbers", "\(numbers.count)") }
    return numbers
  }
}

/// The conversions between numbers in scalar calls: those that lose nothing.
///
/// Foundation's coder converts in the same cases; where it would truncate, wrap around or return zero, these throw.
extension ArchiveValue {
  /// Returns a Boolean value, also from the integers 0 and 1.
  func boolean() throws(FormatError) -> Bool {
    switch self {
    case .bool(let value): return value
    case .integer(0): return false
    case .integer(1): return true
    case .integer: throw outOfRange("0 or 1")
    default: throw mismatch("a bool")
    }
  }

  /// Returns an integer, also from a Boolean value, and from a floating-point number without a fraction.
  func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws(FormatError) -> Value {
    switch self {
    case .bool(let value): return value ? 1 : 0
    case .integer(let number):
      guard let value = number.converted(to: type) else { throw outOfRange("a number that fits \(type)") }
      return value
    case .float(let number):
      guard let value = Value(exactly: number) else { throw outOfRange("a whole number that fits \(type)") }
      return value
    default: throw mismatch("an integer")
    }
  }

  /// Returns a floating-point number, also from an integer that has an exact one.
  func double() throws(FormatError) -> Double {
    switch self {
    case .float(let number): return number
    case .integer(let number):
      let value =
        number.converted(to: Int64.self).flatMap { Double(exactly: $0) }
        ?? number.converted(to: UInt64.self).flatMap { Double(exactly: $0) }
      guard let value else { throw outOfRange("an integer that float64 can represent") }
      return value
    default: throw mismatch("a floating-point number")
    }
  }

  /// Returns a single-precision number: the nearest one, if the number is in the range of the type.
  func float() throws(FormatError) -> Float {
    let wide = try double()
    let narrow = Float(wide)
    guard narrow.isFinite || !wide.isFinite else { throw outOfRange("a number that fits Float") }
    return narrow
  }

  /// Returns bytes.
  func bytes() throws(FormatError) -> Data {
    guard case .data(let data) = self else { throw mismatch("data") }
    return data
  }

  private func mismatch(_ expected: String) -> FormatError {
    FormatError(.wrongType, at: nil, "value", expected: .text(expected), found: .text(typeName))
  }

  private func outOfRange(_ expected: String) -> FormatError {
    FormatError(.numberOutOfRange, at: nil, "value", expected: .text(expected), found: "another number")
  }
}
