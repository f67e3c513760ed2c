import ArchiveFormat
import FoundationValues
import Storage

// The values of the archive as Swift types.

extension StateDecoder {
  /// Reads the value at a cursor over the record.
  @inline(__always)
  func readValue(_ cursor: inout ByteCursor) throws(FormatError) -> RawValue {
    try bytes.withSpan { bytes throws(FormatError) in try cursor.readValue(in: bytes) }
  }

  /// Returns the number of values that a cursor covers.
  func countValues(_ cursor: consuming ByteCursor) throws(FormatError) -> Int {
    try bytes.withSpan { bytes throws(FormatError) in
      var count = 0
      while !cursor.isAtEnd {
        _ = try cursor.readValue(in: bytes)
        count += 1
      }
      return count
    }
  }

  @inline(__always)
  func bool(_ value: RawValue) throws(Mismatch) -> Bool {
    guard case .bool = value.kind else { throw .type }
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
    case .float64:
      return try wholeNumber(value)
    default:
      return try wideInteger(value)
    }
  }

  /// Returns a floating-point number without fraction as an integer, so that a property may change its type.
  @inline(never)
  private func wholeNumber<Value: FixedWidthInteger>(_ value: RawValue) throws(Mismatch) -> Value {
    let number = Double(bitPattern: value.bits)
    guard number.rounded() == number, number.isFinite else { throw .type }
    guard let result = Value(exactly: number) else { throw .range }
    return result
  }

  /// Returns an integer of a type wider than 64 bits, stored as a string (rule R-2-1).
  private func wideInteger<Value: FixedWidthInteger>(_ value: RawValue) throws(Mismatch) -> Value {
    guard case .string = value.kind, Value.bitWidth > 64 else { throw .type }
    let text = try string(value)
    guard let result = Value(text), "\(result)".isSameText(as: text) else { throw .text }
    return result
  }

  @inline(__always)
  func double(_ value: RawValue) throws(Mismatch) -> Double {
    guard case .float64 = value.kind else { return try exactDouble(value) }
    return Double(bitPattern: value.bits)
  }

  /// Returns an integer as a floating-point number, if that holds it exactly.
  @inline(never)
  private func exactDouble(_ value: RawValue) throws(Mismatch) -> Double {
    let number =
      switch value.kind {
      case .integer: Double(exactly: value.bits)
      case .negativeInteger: Double(exactly: ~Int64(bitPattern: value.bits))
      default: throw Mismatch.type
      }
    guard let number else { throw .range }
    return number
  }

  /// Returns a single-precision number, only if the conversion is exact.
  func float(_ value: RawValue) throws(Mismatch) -> Float {
    let wide = try double(value)
    let narrow = Float(wide)
    guard Double(narrow) == wide || wide.isNaN else { throw .range }
    return narrow
  }

  @inline(__always)
  func string(_ value: RawValue) throws(Mismatch) -> String {
    guard case .string = value.kind else { throw .type }
    return try text(value)
  }

  private func text(_ value: RawValue) throws(Mismatch) -> String {
    if let text = bytes.withSpan({ $0.extracting(value.payload).makeString() }) { return text }
    do throws(FormatError) {
      try bytes.withSpan { bytes throws(FormatError) in
        try ByteCursor(value.payload, fileOffset: fileOffset).validateText(in: bytes, at: value.payload, "string")
      }
    } catch {
      throw .format(error)
    }
    throw .text
  }

  /// Returns a date, also from the number as which a date encodes itself when the encoder does not know its type.
  @inline(__always)
  func date(_ value: RawValue) throws(Mismatch) -> Date {
    guard value.kind == .date || value.kind == .float64 else { throw .type }
    return Date(float64Bits: value.bits)
  }

  func data(_ value: RawValue) throws(Mismatch) -> Data {
    guard case .data = value.kind else { throw .type }
    return bytes.withSpan { Data(bytes: $0.extracting(value.payload)) }
  }

  /// Returns a UUID, also from the string as which a UUID encodes itself when the encoder does not know its type.
  func uuid(_ value: RawValue) throws(Mismatch) -> UUID {
    if case .string = value.kind {
      guard let uuid = UUID(uuidString: try text(value)) else { throw .text }
      return uuid
    }
    guard case .uuid = value.kind else { throw .type }
    return bytes.withSpan { UUID($0.uint64(at: value.payload.lowerBound), $0.uint64(at: value.payload.lowerBound + 8)) }
  }

  func url(_ value: RawValue) throws(Mismatch) -> URL {
    guard case .url = value.kind else { throw .type }
    guard let url = URL(string: try text(value)) else { throw .text }
    return url
  }

  func decimal(_ value: RawValue) throws(Mismatch) -> Decimal {
    guard let decimal = Decimal(exactText: try string(value)) else { throw .text }
    return decimal
  }

  func reference(_ value: RawValue) throws(Mismatch) -> RestorationPath {
    guard case .reference = value.kind else { throw .type }
    do throws(FormatError) {
      return try bytes.withSpan { bytes throws(FormatError) in try ValueReader.path(of: value, in: bytes, fileOffset: fileOffset) }
    } catch {
      throw .format(error)
    }
  }

  /// Returns the value as a value of the archive's own model.
  func archiveValue(_ value: RawValue, tagAt tag: Int) throws(FormatError) -> ArchiveValue {
    var reader = ValueReader(keys: index.keys, isStrict: node.archive.isStrict, budget: ValueBudget(node.archive.limits))
    return try bytes.withSpan { bytes throws(FormatError) in
      try reader.readValue(value, in: bytes, fileOffset: fileOffset, tagAt: tag, depth: 0)
    }
  }

  /// Returns the value as one of the native types.
  @inline(__always)
  func native<Value>(_ value: RawValue, _ native: NativeType, as type: Value.Type) throws(Mismatch) -> Value {
    switch native {
    case .string: sameType(try string(value), as: type)
    case .integer: sameType(try integer(value, as: Int.self), as: type)
    case .double: sameType(try double(value), as: type)
    case .bool: sameType(try bool(value), as: type)
    case .date: sameType(try date(value), as: type)
    case .data: sameType(try data(value), as: type)
    case .uuid: sameType(try uuid(value), as: type)
    case .url: sameType(try url(value), as: type)
    case .decimal: sameType(try decimal(value), as: type)
    }
  }
}

extension Decimal {
  /// The number as a text without zeros at the end of a fraction, which Foundation keeps (rule R-2-2).
  package var exactText: String {
    let text = description
    guard text.utf8.last == UInt8(ascii: "0"), text.utf8.contains(UInt8(ascii: ".")) else { return text }
    let digits = text.prefix { $0 != "." } + text.drop { $0 != "." }.reversed().drop { $0 == "0" }.reversed()
    return String(digits.last == "." ? digits.dropLast() : digits)
  }

  /// Creates the number that is described by a text, or returns nil if the text is not the description of a number.
  package init?(exactText text: String) {
    // Foundation reads a number up to the first other character.
    guard text.utf8.count <= 256 else { return nil }
    if text.isSameText(as: "NaN") {
      self = .nan
    } else if let number = Decimal(string: text), number.description.isSameText(as: text) {
      self = number
    } else {
      return nil
    }
  }
}

// A value that cannot be decoded as requested: the reason, and the errors that keyed calls and Codable types get.

extension StateDecoder {
  /// The reason why a value cannot be decoded as the requested type.
  enum Mismatch: Error {
    /// The value has another type.
    case type
    /// The number does not fit the type.
    case range
    /// The text does not represent a value of the type.
    case text
    /// The archive is at fault.
    case format(FormatError)
  }
}

extension ArchiveError {
  /// Creates the archive error for a value that cannot be decoded as requested.
  init(_ mismatch: StateDecoder.Mismatch, asked: Any.Type, found: RawValue?, in decoder: StateDecoder, key: String?) {
    let key = decoder.outermostKey ?? key
    let offset = found.map { decoder.fileOffset + $0.payload.lowerBound }
    if let found, found.kind == .unknown, case .type = mismatch {
      // A value of a later version, whatever type is asked for (Spec 9.2).
      let start = decoder.fileOffset + found.payload.lowerBound - OutputBuffer.varintLength(found.payload.count) - 1
      let fault = FormatError(
        .unknownValueType, at: start, "value", expected: "a type of version \(FormatVersion.current)", found: .hexadecimal(found.tag))
      self.init(fault, path: decoder.path, key: key)
      return
    }
    let kind = FormatError.Quantity.text(found?.kind.name ?? "the whole state")
    let fault =
      switch mismatch {
      case .type: FormatError(.wrongType, at: offset, "value", expected: .text("\(asked)"), found: kind)
      case .range: FormatError(.numberOutOfRange, at: offset, "number", expected: .text("one that fits \(asked)"))
      case .text: FormatError(.wrongType, at: offset, "text", expected: .text("that of \(asked)"), found: kind)
      case .format(let error): error
      }
    self.init(fault, path: decoder.path, key: key)
  }
}

extension ValueDecoder {
  /// Returns the standard error for a value that cannot be decoded as requested, with the full coding path and the
  /// archive error as its underlying error.
  @inline(never)
  func error(
    _ mismatch: StateDecoder.Mismatch, type: Any.Type, found: RawValue?, key: (any CodingKey)? = nil
  ) -> DecodingError {
    let keys = codingPath + (key.map { [$0] } ?? [])
    let outermost = keys.first?.stringValue
    let cause =
      tag < 0 ? state.absence(of: outermost) : ArchiveError(mismatch, asked: type, found: found, in: state, key: outermost)
    let context = DecodingError.Context(codingPath: keys, debugDescription: cause.description, underlyingError: cause)
    switch mismatch {
    case .type where found?.kind == .unknown: return .dataCorrupted(context)
    case .type: return found?.kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    case .range, .text, .format: return .dataCorrupted(context)
    }
  }
}
