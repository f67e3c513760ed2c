public import Storage

// Complete entries with the most frequent kinds of values, under known keys. They are inlined into the public coder,
// which calls them for each value.
extension StateWriter {
  /// The error for a coder whose scope is not the current one.
  package static var outOfScope: FormatError {
    FormatError(
      .notStorable, at: nil, "state encoder",
      expected: .text("calls only while its node or container, and none within it, is being encoded"))
  }

  /// Begins an entry of the container opened by `scope`.
  @inline(never)
  package func beginStateEntry(_ key: String, isSensitive: Bool, scope: Int) throws(FormatError) {
    guard self.scope == scope else { throw Self.outOfScope }
    try beginEntry(key, isSensitive: isSensitive)
  }

  // Each function writes an entry of the container opened by `scope` if its key is known. Otherwise it writes nothing
  // and returns false.

  /// Begins an entry; its value must be written next.
  @inlinable @inline(__always)
  package func beginKnownEntry(_ key: String, scope: Int) -> Bool {
    guard self.scope == scope, let lead = noteKnownEntry(key) else { return false }
    buffer.append(lead)
    return true
  }

  /// Writes an entry with a bool.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: String, _ value: Bool, scope: Int) -> Bool {
    writeKnownEntry(key, .bool(value), scope: scope)
  }

  /// Writes an entry with an integer.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: String, _ value: Int, scope: Int) -> Bool {
    writeKnownEntry(key, .integer(Int64(value)), scope: scope)
  }

  /// Writes an entry with a float64.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: String, _ value: Double, scope: Int) -> Bool {
    writeKnownEntry(key, .float64(bits: value.bitPattern), scope: scope)
  }

  /// Writes an entry with a date, given the bits of its float64.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: String, dateBits bits: UInt64, scope: Int) -> Bool {
    writeKnownEntry(key, .date(bits: bits), scope: scope)
  }

  @inlinable @inline(__always)
  func writeKnownEntry(_ key: String, _ scalar: ScalarEncoding, scope: Int) -> Bool {
    guard self.scope == scope, let lead = noteKnownEntry(key) else { return false }
    buffer.append(lead, tag: scalar.tag, scalar.bits, byteCount: scalar.byteCount)
    return true
  }

  /// Writes an entry with a string.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: String, _ value: String, scope: Int) -> Bool {
    guard self.scope == scope, let lead = noteKnownEntry(key) else { return false }
    buffer.writeString(value, after: lead)
    return true
  }

  // The same for Codable, which has checked the scope and has the words of the key.

  /// Records an entry that begins here, as the overload of ``noteKnownEntry(_:)`` for strings does.
  @inlinable @inline(__always)
  func noteKnownEntry(_ key: borrowing KeyText) -> UInt8? {
    guard StringWords.areKnown, let number = state.value.keyCache.number(of: key.words), number >= 0, number < ProvisionalKey.oneByteCount
    else { return nil }
    state.value.entries.append(PendingEntry(start: buffer.count, key: number))
    return UInt8(truncatingIfNeeded: number &+ 1)
  }

  /// Begins an entry; its value must be written next.
  @inlinable @inline(__always)
  package func beginKnownEntry(_ key: borrowing KeyText) -> Bool {
    guard let lead = noteKnownEntry(key) else { return false }
    buffer.append(lead)
    return true
  }

  /// Writes an entry with a bool.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: borrowing KeyText, _ value: Bool) -> Bool {
    writeKnownEntry(key, .bool(value))
  }

  /// Writes an entry with an integer.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: borrowing KeyText, _ value: Int) -> Bool {
    writeKnownEntry(key, .integer(Int64(value)))
  }

  /// Writes an entry with a float64.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: borrowing KeyText, _ value: Double) -> Bool {
    writeKnownEntry(key, .float64(bits: value.bitPattern))
  }

  /// Writes an entry with a date, given the bits of its float64.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: borrowing KeyText, dateBits bits: UInt64) -> Bool {
    writeKnownEntry(key, .date(bits: bits))
  }

  @inlinable @inline(__always)
  func writeKnownEntry(_ key: borrowing KeyText, _ scalar: ScalarEncoding) -> Bool {
    guard let lead = noteKnownEntry(key) else { return false }
    buffer.append(lead, tag: scalar.tag, scalar.bits, byteCount: scalar.byteCount)
    return true
  }

  /// Writes an entry with a string.
  @inlinable @inline(__always)
  package func writeKnownEntry(_ key: borrowing KeyText, _ value: String) -> Bool {
    guard let lead = noteKnownEntry(key) else { return false }
    buffer.writeString(value, after: lead)
    return true
  }
}
