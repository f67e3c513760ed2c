import ArchiveFormat

/// Finds and decodes the fields of one dictionary by name.
///
/// ``KeyedReader`` is generic in the type of the keys, so it is compiled where that is known or run slowly; all that does not depend on it
/// is here.
final class FieldReader {
  /// Why a field cannot be had.
  enum Failure: Error {
    case absent
    /// Two keys of the dictionary are the same to a `String`.
    case collision
    case mismatch(DecodingSource.Mismatch, found: RawValue?)
  }

  let decoder: ArchiveDecoder
  let index: EntryIndex
  /// How deep the values of the entries are nested.
  let depth: Int
  let pathNode: CodingPathNode?

  init(decoder: ArchiveDecoder, index: EntryIndex, depth: Int, pathNode: CodingPathNode?) {
    self.decoder = decoder
    self.index = index
    self.depth = depth
    self.pathNode = pathNode
  }

  // MARK: Fields

  @inline(__always)
  func field(_ key: String) throws(Failure) -> EntryTable.Field {
    if index.hasCollidingKeys { throw .collision }
    guard let field = index.field(key) else { throw .absent }
    return field
  }

  @inline(__always)
  private func decode<Value>(
    _ value: RawValue, _ body: (DecodingSource, RawValue) throws(DecodingSource.Mismatch) -> Value
  ) throws(Failure) -> Value {
    do throws(DecodingSource.Mismatch) {
      return try body(index.source, value)
    } catch {
      throw .mismatch(error, found: value)
    }
  }

  // Numbers are in the value itself: they are had without the source, to which a reference would be counted each time.

  func bool(_ key: String) throws(Failure) -> Bool {
    let value = try field(key).value
    guard case .bool = value.kind else { throw .mismatch(.type, found: value) }
    return value.bits != 0
  }

  func double(_ key: String) throws(Failure) -> Double {
    let value = try field(key).value
    guard case .float64 = value.kind else { throw .mismatch(.type, found: value) }
    return Double(bitPattern: value.bits)
  }

  func integer<Value: FixedWidthInteger>(_ key: String) throws(Failure) -> Value {
    let value = try field(key).value
    if case .integer = value.kind, let result = Value(exactly: value.bits) { return result }
    return try decode(value) { source, value throws(DecodingSource.Mismatch) in try source.integer(value) }
  }

  func string(_ key: String) throws(Failure) -> String {
    try decode(try field(key).value) { source, value throws(DecodingSource.Mismatch) in try source.string(value) }
  }

  func float(_ key: String) throws(Failure) -> Float {
    try decode(try field(key).value) { source, value throws(DecodingSource.Mismatch) in try source.float(value) }
  }

  func isNull(_ key: String) throws(Failure) -> Bool {
    try field(key).value.kind == .null
  }

  // MARK: Errors

  @inline(never)
  func error(_ failure: Failure, type: Any.Type, key: any CodingKey) -> DecodingError {
    switch failure {
    case .absent: absence(of: key)
    case .collision: collision()
    case .mismatch(let mismatch, let found): decoder.error(mismatch, type: type, found: found, key: key, pathNode: pathNode)
    }
  }

  private func absence(of key: any CodingKey) -> DecodingError {
    let path = CodingPathNode.keys(of: pathNode)
    let cause = ArchiveError(
      FormatError(.absentKey, at: nil, "value", expected: .text("one under this key"), found: .text("none")), path: index.source.path,
      key: (path + [key]).first?.stringValue)
    return .keyNotFound(
      key, DecodingError.Context(codingPath: path, debugDescription: "no value under \"\(key.stringValue)\"", underlyingError: cause))
  }

  private func collision() -> DecodingError {
    let path = CodingPathNode.keys(of: pathNode)
    let cause = ArchiveError(
      FormatError(
        .keysCollide, at: nil, "keys of a dictionary", expected: .text("different texts"), found: .text("the same one in two forms")),
      path: index.source.path, key: path.first?.stringValue)
    return .dataCorrupted(DecodingError.Context(codingPath: path, debugDescription: cause.description, underlyingError: cause))
  }
}
