import ArchiveFormat
import Foundation
import RestorationArchive

/// The fields of an object of a Foundation class.
struct ObjectFields {
  let fields: ArchiveDictionary
  let decoding: ObjectDecoding

  /// Returns the converted value of a field, or nil if there is no such field.
  private func optional<Value>(_ name: String, _ expected: String, _ convert: (ArchiveValue) -> Value?) throws -> Value? {
    guard let value = fields[name] else { return nil }
    guard let converted = convert(value) else { throw decoding.wrongType(expected, value) }
    return converted
  }

  private func required<Value>(_ name: String, _ expected: String, _ convert: (ArchiveValue) -> Value?) throws -> Value {
    guard let value = try optional(name, expected, convert) else { throw decoding.wrongType(expected, nil) }
    return value
  }

  private static func integer(_ value: ArchiveValue) -> Int? {
    if case .integer(let number) = value { number.converted(to: Int.self) } else { nil }
  }

  func string(_ name: String) throws -> String { try required(name, "a string", \.text) }
  func stringIfPresent(_ name: String) throws -> String? { try optional(name, "a string", \.text) }
  func integer(_ name: String) throws -> Int { try required(name, "an integer", Self.integer) }
  func integerIfPresent(_ name: String) throws -> Int? { try optional(name, "an integer", Self.integer) }
  func value(_ name: String) throws -> ArchiveValue { try required(name, "a value") { $0 } }

  func double(_ name: String) throws -> Double {
    try required(name, "a floating-point number") { if case .float(let number) = $0 { number } else { nil } }
  }

  /// Returns whether there is a Boolean value, and it is true.
  func isTrue(_ name: String) throws -> Bool {
    try optional(name, "a bool") { if case .bool(let isTrue) = $0 { isTrue } else { nil } } ?? false
  }

  func date(_ name: String) throws -> Date { try required(name, "a date") { if case .date(let date) = $0 { date } else { nil } } }
  func data(_ name: String) throws -> Data { try required(name, "data") { if case .data(let data) = $0 { data } else { nil } } }

  func array(_ name: String) throws -> [ArchiveValue] {
    try required(name, "an array") { if case .array(let elements) = $0 { elements } else { nil } }
  }

  func object(_ name: String, of kind: FoundationClass) throws -> ObjectFields {
    guard let object = try objectIfPresent(name, of: kind) else { throw decoding.wrongType("a \(kind.name)", nil) }
    return object
  }

  /// Returns the fields of an object of a Foundation class, or nil if there is no such field.
  func objectIfPresent(_ name: String, of kind: FoundationClass) throws -> ObjectFields? {
    try optional(name, "a \(kind.name)") { value in
      guard case .dictionary(let object) = value, object[ObjectField.className] == .string(kind.name) else { return nil }
      return ObjectFields(fields: object, decoding: decoding)
    }
  }

  func integers(_ name: String) throws -> [Int] {
    try array(name).map { value in
      guard let integer = Self.integer(value) else { throw decoding.wrongType("an integer", value) }
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

/// An array, or an object of one of Foundation's other classes whose elements have an order: what waits can return to its place there.
struct ReferenceList {
  /// The name of the class.
  let className: String
  var elements: [ArchiveValue]

  /// The targets of the elements that are references.
  var targets: [RestorationPath?] { elements.map { if case .reference(let path) = $0 { path } else { nil } } }

  /// The stored form of the list.
  var value: ArchiveValue {
    className == "NSArray" ? .array(elements) : .dictionary([ObjectField.className: .string(className), "elements": .array(elements)])
  }
}

extension ReferenceList {
  /// Creates a list from its stored form; nil for another value.
  init?(_ value: ArchiveValue) {
    switch value {
    case .array(let elements): self.init(className: "NSArray", elements: elements)
    case .dictionary(let fields):
      let kinds: [FoundationClass] = [.mutableArray, .orderedSet, .mutableOrderedSet]
      guard let kind = kinds.first(where: { fields[ObjectField.className] == .string($0.name) }),
        case .array(let elements)? = fields["elements"]
      else { return nil }
      self.init(className: kind.name, elements: elements)
    default: return nil
    }
  }
}

/// The lossless conversions between numbers in scalar calls.
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
  func integer<Value: FixedWidthInteger>() throws(FormatError) -> Value {
    switch self {
    case .bool(let value): return value ? 1 : 0
    case .integer(let number):
      guard let value = number.converted(to: Value.self) else { throw outOfRange("a number that fits \(Value.self)") }
      return value
    case .float(let number):
      guard let value = Value(exactly: number) else { throw outOfRange("a whole number that fits \(Value.self)") }
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

  func bytes() throws(FormatError) -> Data? {
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
