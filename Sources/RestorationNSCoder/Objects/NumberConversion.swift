import ArchiveFormat
import Foundation
import RestorationArchive

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
