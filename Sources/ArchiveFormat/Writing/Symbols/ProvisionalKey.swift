/// How records name keys while they are being written: by number, in order of first use.
///
/// A writer that is used again numbers the keys of the archive before in the order of their bytes, so that their references can be final.
///
///     one byte            number + 1, for the first 239: the length of the final reference too, so that it can be replaced in place
///     ff and four bytes   any other number
@usableFromInline
enum ProvisionalKey {
  /// How many numbers take one byte.
  @usableFromInline static let oneByteCount = KeyReference.oneByteCount
  /// The lead of the others.
  @usableFromInline static let longLead: UInt8 = 0xFF
  /// How many bytes those take.
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
