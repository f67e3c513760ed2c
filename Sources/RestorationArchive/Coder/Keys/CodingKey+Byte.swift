extension CodingKey {
  /// Whether keys of the type have a ``byte``, like those of simple enumerations.
  ///
  /// Nothing is cached for other key types. (A type such as `String` may conform to `CodingKey` in more than one
  /// module.)
  @inline(__always)
  static var hasByte: Bool { MemoryLayout<Self>.size <= 1 }

  /// A byte that identifies the key within its type, for types of at most one byte, such as key enumerations; nil for
  /// others.
  @inline(__always)
  var byte: UInt8? {
    switch MemoryLayout<Self>.size {
    case 0: 0
    // A one-byte type cannot hold a reference, so the byte is the whole key.
    case 1: unsafe unsafeBitCast(self, to: UInt8.self)
    default: nil
    }
  }
}
