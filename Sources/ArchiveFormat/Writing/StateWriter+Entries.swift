// Whole entries with the values that apps encode most: one call each from the public coder, so that all within it is compiled as one.
extension StateWriter {
  /// Throws unless `record` is the one that is being written, and the key can name an entry of state.
  @inline(__always)
  private func check(_ key: String, record: Int) throws(FormatError) {
    if recordCount != record || key.isEmpty { throw misuse(isOpen: recordCount == record) }
  }

  @inline(never)
  private func misuse(isOpen: Bool) -> FormatError {
    if isOpen { return FormatError(.emptyKey, at: nil, "key", expected: .text("at least one byte")) }
    return FormatError(.notStorable, at: nil, "state encoder", expected: .text("calls only while its node is being encoded"))
  }

  /// Begins an entry of the state that is being written as `record`.
  package func beginStateEntry(_ key: String, isSensitive: Bool, record: Int) throws(FormatError) {
    try check(key, record: record)
    try beginEntry(key, isSensitive: isSensitive)
  }

  /// Writes an entry with a bool.
  package func writeEntry(_ key: String, _ value: Bool, isSensitive: Bool, record: Int) throws(FormatError) {
    try check(key, record: record)
    try beginEntry(key, isSensitive: isSensitive)
    buffer.writeBool(value)
  }

  /// Writes an entry with an integer.
  package func writeEntry(_ key: String, _ value: Int, isSensitive: Bool, record: Int) throws(FormatError) {
    try check(key, record: record)
    try beginEntry(key, isSensitive: isSensitive)
    buffer.writeInteger(Int64(value))
  }

  /// Writes an entry with a float64.
  package func writeEntry(_ key: String, _ value: Double, isSensitive: Bool, record: Int) throws(FormatError) {
    try check(key, record: record)
    try beginEntry(key, isSensitive: isSensitive)
    buffer.writeFloat64(bits: value.bitPattern)
  }

  /// Writes an entry with a string.
  package func writeEntry(_ key: String, _ value: String, isSensitive: Bool, record: Int) throws(FormatError) {
    try check(key, record: record)
    try beginEntry(key, isSensitive: isSensitive)
    buffer.writeString(value)
  }

  /// Writes an entry with a date, given the bits of its float64.
  package func writeEntry(_ key: String, dateBits bits: UInt64, isSensitive: Bool, record: Int) throws(FormatError) {
    try check(key, record: record)
    try beginEntry(key, isSensitive: isSensitive)
    buffer.writeDate(bits: bits)
  }

  /// Writes an entry with data.
  package func writeEntry(_ key: String, data: Span<UInt8>, isSensitive: Bool, record: Int) throws(FormatError) {
    try check(key, record: record)
    try beginEntry(key, isSensitive: isSensitive)
    buffer.writeData(data)
  }
}
