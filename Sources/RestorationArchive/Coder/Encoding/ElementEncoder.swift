#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// An encoder for the elements of an array, in order.
///
/// ``StateEncoder/encodeArray(forKey:isSensitive:_:)`` passes one to its closure, and it is valid while the array is
/// being encoded. A call that throws adds no element. All calls throw `not-storable` once the array is complete, and
/// while a container inside it is being encoded.
public struct ElementEncoder {
  private let coder: StateEncoder
  private let scope: Int

  init(coder: StateEncoder, scope: Int) {
    self.coder = coder
    self.scope = scope
  }

  /// Returns the writer for the next element; throws if the array is not the innermost open container.
  @inline(__always)
  private func begin() throws(ArchiveError) -> StateWriter {
    guard coder.writer.scope == scope else { throw coder.failure(StateWriter.outOfScope, nil) }
    return coder.writer
  }

  // MARK: Values

  /// Encodes null.
  public func encodeNil() throws(ArchiveError) {
    try begin().buffer.writeNull()
  }

  /// Encodes a Boolean value.
  public func encode(_ value: Bool) throws(ArchiveError) {
    try begin().buffer.writeBool(value)
  }

  /// Encodes an integer.
  public func encode(_ value: Int) throws(ArchiveError) {
    try begin().buffer.writeInteger(Int64(value))
  }

  /// Encodes a floating-point number; all its bits are preserved.
  public func encode(_ value: Double) throws(ArchiveError) {
    try begin().buffer.writeFloat64(bits: value.bitPattern)
  }

  /// Encodes a string.
  public func encode(_ value: String) throws(ArchiveError) {
    try begin().buffer.writeString(value)
  }

  /// Encodes a date.
  public func encode(_ value: Date) throws(ArchiveError) {
    try begin().buffer.writeDate(bits: value.float64Bits)
  }

  /// Encodes bytes.
  public func encode(_ value: Data) throws(ArchiveError) {
    try begin().buffer.writeData(value.span)
  }

  /// Encodes any value, like ``StateEncoder/encode(_:forKey:isSensitive:)-(Value,_,_)``.
  ///
  /// - Throws: The errors of the value's own encoding.
  public func encode<Value: Encodable>(_ value: Value) throws {
    try encodeElement { writer in
      let outer = writer.openScope()
      defer { writer.closeScope(to: outer) }
      try coder.encoder.encodeElement(value, scope: scope)
    }
  }

  /// Encodes a value of the archive's own model.
  ///
  /// - Throws: An error for a value that the format cannot store.
  public func encode(_ value: ArchiveValue) throws {
    try encodeElement { writer in
      do throws(FormatError) {
        try writer.write(value)
      } catch {
        throw coder.failure(error, nil)
      }
    }
  }

  /// Encodes the path of another node, or null.
  ///
  /// - Throws: `empty-reference` for the empty path.
  public func encode(path: RestorationPath?) throws {
    try encode(path.map { ArchiveValue.reference($0) } ?? .null)
  }

  // MARK: Containers

  /// Encodes an array as an element.
  ///
  /// - Throws: `nesting-depth`, and rethrows the error of `body`.
  public func encodeArray(_ body: (ElementEncoder) throws -> Void) throws {
    try encodeElement { _ in try coder.encodeArray(nil, body) }
  }

  /// Encodes a dictionary as an element.
  ///
  /// - Throws: `nesting-depth`, and rethrows the error of `body`.
  public func encodeDictionary(_ body: (StateEncoder) throws -> Void) throws {
    try encodeElement { _ in try coder.encodeDictionary(nil, body) }
  }

  private func encodeElement(_ body: (StateWriter) throws -> Void) throws {
    let writer = try begin()
    let mark = writer.mark
    do {
      try body(writer)
    } catch {
      writer.unwind(to: mark)
      throw error
    }
  }
}
