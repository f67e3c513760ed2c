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
