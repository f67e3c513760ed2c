#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveFormat

/// The bytes of a state record and what is needed to make sense of them, shared by all that decodes from it.
final class DecodingSource {
  /// The array that holds the record, and much else perhaps.
  let storage: [UInt8]
  /// The offset in the file of index 0 of `storage`.
  let fileOffset: Int
  let keys: KeyTable
  let isStrict: Bool
  let limits: ReaderLimits
  /// The node whose state it is, for errors.
  let path: RestorationPath
  let userInfo: [CodingUserInfoKey: Any]
  /// How many more values may be made.
  var budget: ValueBudget

  init(record: VerifiedBytes, node: ArchivedNode, userInfo: [CodingUserInfoKey: Any]) {
    storage = record.storage
    fileOffset = record.fileOffset
    keys = node.archive.records.metadata.keys
    isStrict = node.archive.isStrict
    limits = node.archive.limits
    path = node.path
    self.userInfo = userInfo
    budget = ValueBudget(node.archive.limits)
  }

  // A span of a property of a class cannot leave the access to the property, hence the local copies of `storage` below.

  /// Reads the value at a cursor over the record.
  @inline(__always)
  func readValue(_ cursor: inout ByteCursor) throws(FormatError) -> RawValue {
    let storage = storage
    return try cursor.readValue(in: storage.span)
  }

  /// Reads the value at `position`, a mark in front of it passed over.
  @inline(__always)
  func value(at position: Int, end: Int) throws(FormatError) -> RawValue {
    let storage = storage
    let bytes = storage.span
    var cursor = ByteCursor(position..<end, fileOffset: fileOffset)
    if position < end, bytes[position] == ValueTag.sensitive { cursor.position &+= 1 }
    return try cursor.readValue(in: bytes)
  }

  // MARK: Values as Swift types

  /// Why a value cannot be had as the type that was asked for.
  enum Mismatch: Error {
    /// It is of another type.
    case type
    /// It does not fit.
    case range
    /// It is text that does not denote such a value.
    case text
    /// The archive is at fault.
    case format(FormatError)
  }

  @inline(__always)
  func bool(_ value: RawValue) throws(Mismatch) -> Bool {
    guard value.kind == .bool else { throw .type }
    return value.bits != 0
  }

  @inline(__always)
  func integer<Value: FixedWidthInteger>(_ value: RawValue, as type: Value.Type = Value.self) throws(Mismatch) -> Value {
    switch value.kind {
    case .integer:
      guard let result = Value(exactly: value.bits) else { throw .range }
      return result
    case .negativeInteger:
      guard let result = Value(exactly: ~Int64(bitPattern: value.bits)) else { throw .range }
      return result
    default:
      return try wideInteger(value)
    }
  }

  /// An integer of more than 64 bits is text (rule R-2-1).
  private func wideInteger<Value: FixedWidthInteger>(_ value: RawValue) throws(Mismatch) -> Value {
    guard value.kind == .string, Value.bitWidth > 64 else { throw .type }
    let text = try string(value)
    guard let result = Value(text), "\(result)" == text else { throw .text }
    return result
  }

  @inline(__always)
  func double(_ value: RawValue) throws(Mismatch) -> Double {
    guard value.kind == .float64 else { throw .type }
    return Double(bitPattern: value.bits)
  }

  /// A narrower number is had only if it is the same number.
  func float(_ value: RawValue) throws(Mismatch) -> Float {
    let wide = try double(value)
    let narrow = Float(wide)
    guard Double(narrow) == wide || wide.isNaN else { throw .range }
    return narrow
  }

  @inline(__always)
  func string(_ value: RawValue) throws(Mismatch) -> String {
    guard value.kind == .string else { throw .type }
    return try text(value)
  }

  private func text(_ value: RawValue) throws(Mismatch) -> String {
    let storage = storage
    if let text = storage.span.extracting(value.payload).makeString() { return text }
    do throws(FormatError) {
      try ByteCursor(value.payload, fileOffset: fileOffset).validateText(
        in: storage.span, at: value.payload, "string")
    } catch {
      throw .format(error)
    }
    throw .text
  }

  @inline(__always)
  func date(_ value: RawValue) throws(Mismatch) -> Date {
    guard value.kind == .date else { throw .type }
    return Date(timeIntervalSinceReferenceDate: Double(bitPattern: value.bits))
  }

  func data(_ value: RawValue) throws(Mismatch) -> Data {
    guard value.kind == .data else { throw .type }
    let storage = storage
    return Data(bytes: storage.span.extracting(value.payload))
  }

  func uuid(_ value: RawValue) throws(Mismatch) -> UUID {
    guard value.kind == .uuid else { throw .type }
    let storage = storage
    let bytes = storage.span
    return UUID(bytes.uint64(at: value.payload.lowerBound), bytes.uint64(at: value.payload.lowerBound + 8))
  }

  func url(_ value: RawValue) throws(Mismatch) -> URL {
    guard value.kind == .url else { throw .type }
    guard let url = URL(string: try text(value)) else { throw .text }
    return url
  }

  func decimal(_ value: RawValue) throws(Mismatch) -> Decimal {
    let text = try string(value)
    if text == "NaN" { return .nan }
    guard let decimal = Decimal(string: text), decimal.description == text else { throw .text }
    return decimal
  }

  func reference(_ value: RawValue) throws(Mismatch) -> RestorationPath {
    guard value.kind == .reference else { throw .type }
    let storage = storage
    do throws(FormatError) {
      return try ValueReader.path(of: value, in: storage.span, fileOffset: fileOffset)
    } catch {
      throw .format(error)
    }
  }

  /// The value as one of the archive's own model.
  func archiveValue(_ value: RawValue, tagAt tag: Int) throws(FormatError) -> ArchiveValue {
    let storage = storage
    var reader = ValueReader(keys: keys, isStrict: isStrict, budget: ValueBudget(limits))
    return try reader.readValue(value, in: storage.span, fileOffset: fileOffset, tagAt: tag, depth: 0)
  }

  /// The value as `Value`, if that is a type that the format has its own form for; nil if it is none of them.
  @inline(__always)
  func primitive<Value>(_ value: RawValue, as type: Value.Type) throws(Mismatch) -> Value? {
    if type == String.self { return exactCast(try string(value), to: type) }
    if type == Int.self { return exactCast(try integer(value, as: Int.self), to: type) }
    if type == Double.self { return exactCast(try double(value), to: type) }
    if type == Bool.self { return exactCast(try bool(value), to: type) }
    if type == Date.self { return exactCast(try date(value), to: type) }
    if type == Data.self { return exactCast(try data(value), to: type) }
    if type == UUID.self { return exactCast(try uuid(value), to: type) }
    if type == URL.self { return exactCast(try url(value), to: type) }
    if type == Decimal.self { return exactCast(try decimal(value), to: type) }
    return nil
  }
}
