/// The provisional form of a key reference while records are being written: a number, in order of first use.
///
/// A writer that is reused numbers the keys of the previous archive in the order of their bytes, so that their
/// references can be final.
///
///     one byte            number + 1, for the first 239: as long as the final reference, which replaces it in place
///     ff and four bytes   any other number
@usableFromInline
enum ProvisionalKey {
  /// The number of keys with a one-byte reference.
  @usableFromInline static let oneByteCount = KeyReference.oneByteCount
  /// The lead byte of a longer reference.
  @usableFromInline static let longLead: UInt8 = 0xFF
  /// The number of bytes of a longer reference.
  static let longLength = 5
}

extension OutputBuffer {
  /// Appends the provisional reference to key `number`.
  @inlinable @inline(__always)
  func appendProvisionalKey(_ number: Int) {
    if number < ProvisionalKey.oneByteCount {
      append(UInt8(truncatingIfNeeded: number &+ 1))
    } else {
      append(ProvisionalKey.longLead)
      append(UInt32(truncatingIfNeeded: number))
    }
  }
}
