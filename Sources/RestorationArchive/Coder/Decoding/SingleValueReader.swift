#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// A container that presents a value without fields or elements.
struct SingleValueReader: SingleValueDecodingContainer {
  let decoder: RecordDecoder
  let subject: RecordDecoder.Subject
  let place: CodingPlace

  var codingPath: [any CodingKey] { place.path }

  @inline(__always)
  private func decode<Value>(_ body: (RawValue) throws(RecordDecoder.Mismatch) -> Value) throws -> Value {
    guard case .value(let value, _, _) = subject else {
      throw decoder.error(.type, type: Value.self, found: nil, key: nil, pathNode: place.node)
    }
    do throws(RecordDecoder.Mismatch) {
      return try body(value)
    } catch {
      throw decoder.error(error, type: Value.self, found: value, key: nil, pathNode: place.node)
    }
  }

  func decodeNil() -> Bool {
    guard case .value(let value, _, _) = subject else { return false }
    return value.kind == .null
  }

  func decode(_ type: Bool.Type) throws -> Bool {
    try decode { value throws(RecordDecoder.Mismatch) in try decoder.bool(value) }
  }

  // A request for a string or number may come from a `UUID` or `Date` that decodes itself in generic code: `try T(from:
  // decoder)`. These calls therefore accept the native forms too; calls that name a type do not.

  func decode(_ type: String.Type) throws -> String {
    try decode { value throws(RecordDecoder.Mismatch) in
      value.kind == .uuid ? try decoder.uuid(value).uuidString : try decoder.string(value)
    }
  }

  func decode(_ type: Double.Type) throws -> Double {
    try decode { value throws(RecordDecoder.Mismatch) in
      value.kind == .date ? try decoder.date(value).timeIntervalSinceReferenceDate : try decoder.double(value)
    }
  }

  func decode(_ type: Float.Type) throws -> Float {
    try decode { value throws(RecordDecoder.Mismatch) in try decoder.float(value) }
  }

  @inline(__always)
  private func decodeInteger<Value: FixedWidthInteger>() throws -> Value {
    try decode { value throws(RecordDecoder.Mismatch) in try decoder.integer(value) }
  }

  func decode(_ type: Int.Type) throws -> Int { try decodeInteger() }
  func decode(_ type: Int8.Type) throws -> Int8 { try decodeInteger() }
  func decode(_ type: Int16.Type) throws -> Int16 { try decodeInteger() }
  func decode(_ type: Int32.Type) throws -> Int32 { try decodeInteger() }
  func decode(_ type: Int64.Type) throws -> Int64 { try decodeInteger() }
  func decode(_ type: Int128.Type) throws -> Int128 { try decodeInteger() }
  func decode(_ type: UInt.Type) throws -> UInt { try decodeInteger() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try decodeInteger() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try decodeInteger() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try decodeInteger() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try decodeInteger() }
  func decode(_ type: UInt128.Type) throws -> UInt128 { try decodeInteger() }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decoder.decodeAgain(type, subject, place)
  }

  /// Reads a reference.
  func decodeReference() throws -> RestorationPath {
    try decode { value throws(RecordDecoder.Mismatch) in try decoder.reference(value) }
  }
}
