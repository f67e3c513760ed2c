import ArchiveFormat

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
    let offset = found.map { decoder.fileOffset + $0.payload.lowerBound }
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
    case .type: return found?.kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    case .range, .text, .format: return .dataCorrupted(context)
    }
  }
}
