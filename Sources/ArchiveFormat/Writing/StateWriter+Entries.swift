// Whole entries with the values that apps encode most: one call each from the public coder, so that all within it is compiled as one.
extension StateWriter {
  /// Throws unless `scope` is the one that may write, and the key can name an entry of what it has open.
  private func check(_ key: String, scope: Int) throws(FormatError) {
    guard self.scope == scope else { throw Self.outOfScope }
    // A dictionary may have the empty key (rule R-6.2-4).
    if key.isEmpty, depth == 1 { throw FormatError(.emptyKey, at: nil, "key", expected: .text("at least one byte")) }
  }

  /// What a coder throws whose scope is not the one that may write.
  package static var outOfScope: FormatError {
    FormatError(
      .notStorable, at: nil, "state encoder",
      expected: .text("calls only while its node or container, and none within it, is being encoded"))
  }

  /// Begins an entry of the container that `scope` has open.
  package func beginStateEntry(_ key: String, isSensitive: Bool, scope: Int) throws(FormatError) {
    if self.scope == scope, !isSensitive, let lead = noteKnownEntry(key) {
      buffer.append(lead)
    } else {
      try beginRareEntry(key, isSensitive: isSensitive, scope: scope)
    }
  }

  @inline(never)
  private func beginRareEntry(_ key: String, isSensitive: Bool, scope: Int) throws(FormatError) {
    try check(key, scope: scope)
    try beginEntry(key, isSensitive: isSensitive)
  }

  /// Writes an entry with a bool.
  package func writeEntry(_ key: String, _ value: Bool, isSensitive: Bool, scope: Int) throws(FormatError) {
    try writeEntry(key, .bool(value), isSensitive: isSensitive, scope: scope)
  }

  /// Writes an entry with an integer.
  package func writeEntry(_ key: String, _ value: Int, isSensitive: Bool, scope: Int) throws(FormatError) {
    try writeEntry(key, .integer(Int64(value)), isSensitive: isSensitive, scope: scope)
  }

  /// Writes an entry with a float64.
  package func writeEntry(_ key: String, _ value: Double, isSensitive: Bool, scope: Int) throws(FormatError) {
    try writeEntry(key, .float64(bits: value.bitPattern), isSensitive: isSensitive, scope: scope)
  }

  /// Writes an entry with a date, given the bits of its float64.
  package func writeEntry(_ key: String, dateBits bits: UInt64, isSensitive: Bool, scope: Int) throws(FormatError) {
    try writeEntry(key, .date(bits: bits), isSensitive: isSensitive, scope: scope)
  }

  @inline(__always)
  private func writeEntry(_ key: String, _ scalar: ScalarForm, isSensitive: Bool, scope: Int) throws(FormatError) {
    if self.scope == scope, !isSensitive, let lead = noteKnownEntry(key) {
      buffer.append(lead, tag: scalar.tag, scalar.bits, byteCount: scalar.byteCount)
    } else {
      try beginRareEntry(key, isSensitive: isSensitive, scope: scope)
      buffer.write(scalar)
    }
  }

  /// Writes an entry with a string.
  package func writeEntry(_ key: String, _ value: String, isSensitive: Bool, scope: Int) throws(FormatError) {
    if self.scope == scope, !isSensitive, let lead = noteKnownEntry(key) {
      buffer.writeString(value, behind: lead)
    } else {
      try writeRareEntry(key, value, isSensitive: isSensitive, scope: scope)
    }
  }

  @inline(never)
  private func writeRareEntry(_ key: String, _ value: String, isSensitive: Bool, scope: Int) throws(FormatError) {
    try beginRareEntry(key, isSensitive: isSensitive, scope: scope)
    buffer.writeString(value)
  }

  /// Writes an entry with data.
  package func writeEntry(_ key: String, data: Span<UInt8>, isSensitive: Bool, scope: Int) throws(FormatError) {
    try beginStateEntry(key, isSensitive: isSensitive, scope: scope)
    buffer.writeData(data)
  }
}
