extension CodingKey {
  /// Whether keys of the type have a ``byte``, as those of plain enumerations do.
  ///
  /// Of others nothing is remembered. (Texts, say, may also be keys in more than one way, by two modules.)
  @inline(__always)
  static var hasByte: Bool { MemoryLayout<Self>.size <= 1 }

  /// What tells the key from all others of its type, for types of one byte and less, as enumerations of keys are; nil for others.
  @inline(__always)
  var byte: UInt8? {
    switch MemoryLayout<Self>.size {
    case 0: 0
    // A type of one byte has no room for a reference: the byte is all there is of the key.
    case 1: unsafe unsafeBitCast(self, to: UInt8.self)
    default: nil
    }
  }
}
