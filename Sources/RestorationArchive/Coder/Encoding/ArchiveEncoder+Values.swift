import ArchiveFormat
import FoundationValues
import Storage

// Encoding of values: natively, or by their own `encode(to:)`.
extension ArchiveEncoder {
  /// Encodes the value of a state entry, whose key has been written, for a keyed call with a scope.
  func encode<Value: Encodable>(_ value: Value, mark: Mark, under name: String, scope: Int) throws {
    if let native = NativeType(Value.self) { return try write(value, as: native, at: CodingPlace(container: nil, key: .name(name))) }
    try encodeFields(of: value, mark: mark, at: CodingPlace(container: outerNode(scope), key: .name(name)))
  }

  /// Encodes the value of an entry or element, after its key, if any.
  func encode<Value: Encodable>(_ value: Value, mark: Mark, at key: @autoclosure () -> CodingPlace.Key) throws {
    if let native = NativeType(Value.self) { return try write(value, as: native, at: CodingPlace(container: pathNode, key: key())) }
    try encodeFields(of: value, mark: mark, at: CodingPlace(container: pathNode, key: key()))
  }

  /// Encodes a value by its own `encode(to:)`; if `form` is `state`, its fields become entries of the open container.
  @inline(__always)
  private func encodeFields<Value: Encodable>(
    of value: Value, mark: Mark, at place: consuming CodingPlace, form: Form = .nothing
  ) throws {
    state.value.lastIdentity &+= 1
    var inner = Context(identity: state.value.lastIdentity, place: place, type: Value.self, mark: mark, form: form)
    if form == .state { inner.firstEntry = writer.openEntries.upperBound }
    // A swap instead of a copy, which would cost reference counting.
    swap(&state.value.context, &inner)
    do {
      try value.encode(to: self)
      if form == .state {
        try checkOpen()
        try copyNestedEntries()
      } else {
        try closeContext()
      }
    } catch {
      swap(&state.value.context, &inner)
      inner.nested?.end()
      throw error
    }
    swap(&state.value.context, &inner)
  }

  /// Encodes an element of the array opened by a keyed call with a scope.
  func encodeElement<Value: Encodable>(_ value: Value, scope: Int) throws {
    if let native = NativeType(Value.self) {
      return try write(value, as: native, at: CodingPlace(container: outerNode(scope), key: .index(writer.nextIndex)))
    }
    try encodeFields(of: value, mark: .impossible, at: CodingPlace(container: outerNode(scope), key: .index(writer.nextIndex)))
  }

  /// Encodes a whole state for a keyed call with a scope: the fields of the value become entries of the open container.
  func encodeState<Value: Encodable>(_ value: Value, scope: Int) throws {
    try encodeFields(of: value, mark: .impossible, at: CodingPlace(container: outerNode(scope), key: .none), form: .state)
  }

  /// Writes a value of a type with a native form in the format.
  @inline(__always)
  private func write<Value>(_ value: Value, as native: NativeType, at place: @autoclosure () -> CodingPlace) throws {
    switch native {
    case .string: writer.buffer.writeString(sameType(value, as: String.self))
    case .integer: writer.buffer.write(.integer(Int64(sameType(value, as: Int.self))))
    case .double: writer.buffer.write(.float64(bits: sameType(value, as: Double.self).bitPattern))
    case .bool: writer.buffer.write(.bool(sameType(value, as: Bool.self)))
    case .date: writer.buffer.write(.date(bits: sameType(value, as: Date.self).float64Bits))
    case .data: writer.buffer.writeData(sameType(value, as: Data.self).span)
    case .uuid:
      let words = sameType(value, as: UUID.self).words
      writer.buffer.writeUUID(words.0, words.1)
    case .url: try write(sameType(value, as: URL.self), at: place())
    case .decimal: writer.buffer.writeString(sameType(value, as: Decimal.self).exactText)
    }
  }

  private func write(_ url: URL, at place: @autoclosure () -> CodingPlace) throws {
    let text = url.absoluteString
    guard !text.isEmpty else { throw error(.emptyURL(), type: URL.self, path: place().path) }
    writer.buffer.writeURL(text)
  }

  /// Writes an integer of any width: natively if it is in range, otherwise as a string of digits (rule R-2-1).
  @inline(__always)
  func write(_ value: some FixedWidthInteger) {
    if let scalar = ScalarEncoding(exactly: value) {
      writer.buffer.write(scalar)
    } else {
      writer.buffer.writeString("\(value)")
    }
  }

  /// Encodes the only value of a single-value container.
  ///
  /// If that throws, the container is still empty and can encode another value.
  func encodeSingle<Value: Encodable>(_ value: Value, identity: Int) throws {
    let isState = context.form == .state
    if isState {
      try check(identity)
      context.form = .single
    } else {
      try beginSingle(identity)
    }
    let mark = writer.mark
    do {
      if !isState, let native = NativeType(Value.self) {
        try write(value, as: native, at: context.place)
      } else {
        try encodeFields(of: value, mark: context.mark, at: context.place, form: isState ? .state : .nothing)
      }
    } catch {
      unwind(to: mark)
      context.form = isState ? .state : .nothing
      throw error
    }
  }
}

/// The reason why the containers of a value must not use the fast path for writing fields.
///
/// A class, because it is tested for every field, and testing an optional enumeration for nil takes longer.
final class EncodingObstacle: Sendable {
  /// A misuse that could not be reported where it happened.
  let failure: EncodingError?

  init(_ failure: EncodingError?) {
    self.failure = failure
  }

  /// The value has been encoded or replaced.
  static let ended = EncodingObstacle(nil)
  /// There are nested containers, and writing under the key of one replaces it, which is no error.
  static let nestedContainers = EncodingObstacle(nil)

  /// Whether containers may write nevertheless.
  var permitsWriting: Bool { self === Self.nestedContainers }
}

extension ArchiveValue {
  /// Returns groups of values in the order of an unordered collection: ascending by their bytes, with all keys inline
  /// (rule R-2-4).
  ///
  /// A group is an element of a set, or a key of a dictionary followed by its value.
  ///
  /// - Complexity: O(n log n) for n bytes of values.
  package static func sorted(_ groups: [[ArchiveValue]]) -> [[ArchiveValue]] {
    let texts = OutputBuffer()
    let ranges = groups.map { group in
      let start = texts.count
      for value in group { texts.writeInline(value) }
      return start..<texts.count
    }
    return texts.withSpan { bytes in
      groups.indices.sorted { bytes.extracting(ranges[$0]).precedes(bytes.extracting(ranges[$1])) }.map { groups[$0] }
    }
  }
}
