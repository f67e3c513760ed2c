/// The form of references to keys: that of a file, or that of a writer until keys are numbered.
protocol KeyForm {
  /// Whether a key that fits into a key table may be inline, because the table of its file is full.
  static var hasShortInlineKeys: Bool { get }

  /// Reads the rest of a reference that begins with `lead`, and returns the index or the number of the key.
  static func readNumber(lead: UInt8, in bytes: borrowing some RecordBytes & ~Copyable & ~Escapable, at position: inout Int) -> Int
}

/// The form of key references in files (Spec §6.2).
enum StoredKey: KeyForm {
  static var hasShortInlineKeys: Bool { true }

  @inline(__always)
  static func readNumber(lead: UInt8, in bytes: borrowing some RecordBytes & ~Copyable & ~Escapable, at position: inout Int) -> Int {
    guard lead >= KeyReference.twoByteLead else { return Int(lead) &- 1 }
    position &+= 1
    return KeyReference.oneByteCount &+ Int(lead &- KeyReference.twoByteLead) &<< 8 &+ Int(bytes.byte(at: position &- 1))
  }
}

extension ProvisionalKey: KeyForm {
  static var hasShortInlineKeys: Bool { false }

  @inline(__always)
  static func readNumber(lead: UInt8, in bytes: borrowing some RecordBytes & ~Copyable & ~Escapable, at position: inout Int) -> Int {
    guard lead == longLead else { return Int(lead) &- 1 }
    position &+= longLength &- 1
    return Int(bytes.uint32(at: position &- (longLength &- 1)))
  }
}
