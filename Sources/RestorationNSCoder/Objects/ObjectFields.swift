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
