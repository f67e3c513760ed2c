/// The first stage of reading: chooses a prefix copy and checks version and length (checks A1 to A12 of Spec §7.2).
package struct ArchiveOpening: Sendable {
  /// The bytes of the archive.
  let source: ArchiveSource
  /// The prefix in use.
  package let prefix: ArchivePrefix
  /// The layout of the file.
  package let layout: FileLayout
  /// Whether the second prefix copy is in use because the first one is damaged.
  package let usesSecondPrefix: Bool
  /// The bytes of the first read, from offset 0: all bytes of an archive in memory.
  package let head: [UInt8]
  /// The error about a file length that differs from that in the prefix, if it was tolerated.
  package let lengthError: FormatError?
  /// The length of the file.
  package let length: Int

  /// The length of the first read: two blocks, which often hold the metadata too, and the tree or its first nodes.
  private static let headLength = 2 * ChecksumTree.blockSize

  /// Opens `source`.
  ///
  /// With `toleratesLength`, a file that is shorter or longer than its prefix states is opened too, so that tools can
  /// show the rest of it. Missing parts then count as damaged.
  package init(_ source: ArchiveSource, toleratesLength: Bool = false) throws(FormatError) {
    self.source = source
    length = source.byteCount
    if case .memory(let bytes) = source { head = bytes } else { head = try source.read(0..<min(length, Self.headLength)) }
    (prefix, usesSecondPrefix) = try Self.readPrefix(head: head, length: length, source)
    (layout, lengthError) = try Self.readLayout(prefix, length: length, toleratesLength: toleratesLength)
  }

  /// Returns the layout of a file of `length` bytes with this prefix, and the error about its length, if that was
  /// tolerated (A6 to A12).
  static func readLayout(
    _ prefix: ArchivePrefix, length: Int, toleratesLength: Bool
  ) throws(FormatError) -> (layout: FileLayout, lengthError: FormatError?) {
    try checkVersion(prefix)
    var lengthError: FormatError?
    do throws(FormatError) {
      try checkLength(prefix, actual: length)
    } catch {
      guard toleratesLength else { throw error }
      lengthError = error
    }
    return (try FileLayout(prefix), lengthError)
  }

  /// Chooses the prefix copy (checks A1 to A5).
  static func readPrefix(
    head: [UInt8], length: Int, _ source: ArchiveSource
  ) throws(FormatError) -> (ArchivePrefix, isSecond: Bool) {
    guard length > 0 else { throw FormatError(.emptyFile, at: 0, "file", expected: "an archive", found: "no bytes") }
    guard head.count >= ArchivePrefix.magic.count else {
      throw FormatError(.tooShort, at: 0, "file", expected: "at least 8 bytes", found: .number(head.count))
    }
    guard ArchivePrefix.hasMagic(head.span) else {
      if let second = try readSecondPrefix(length: length, source) { return (second, true) }
      throw magicError(head)
    }
    guard head.count >= ArchivePrefix.byteCount else {
      throw FormatError(.truncated, at: length, "file", expected: "at least \(ArchivePrefix.byteCount) bytes", found: .number(length))
    }
    let first = head.span.extracting(0..<ArchivePrefix.byteCount)
    if ArchivePrefix.isIntact(first) { return (ArchivePrefix(reading: first), false) }
    if let second = try readSecondPrefix(length: length, source) { return (second, true) }
    throw FormatError(
      .prefixDamaged, at: 0, "prefix", expected: .hexadecimal(first.uint64(at: ArchivePrefix.FieldOffset.prefixDigest)),
      found: .hexadecimal(XXH64.hash(first.extracting(0..<ArchivePrefix.FieldOffset.prefixDigest))))
  }

  /// Returns the prefix copy at the end, if it is intact and states this file length (rule R-7.1-1).
  private static func readSecondPrefix(length: Int, _ source: ArchiveSource) throws(FormatError) -> ArchivePrefix? {
    guard length >= 2 * ArchivePrefix.byteCount else { return nil }
    let bytes = try source.read((length - ArchivePrefix.byteCount)..<length)
    return bytes.count == ArchivePrefix.byteCount ? ArchivePrefix(copy: bytes.span, endingAt: length) : nil
  }

  private static func magicError(_ head: [UInt8]) -> FormatError {
    if let place = MagicDamage.place(in: head.span) {
      return FormatError(
        .textModeDamage, at: place, "magic", expected: "89 52 53 54 0d 0a 1a 0a", found: "the magic altered by a text-mode transfer")
    }
    return FormatError(.badMagic, at: 0, "magic", expected: "89 52 53 54 0d 0a 1a 0a", found: .text(hexadecimal(head.prefix(8))))
  }

  private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }

  /// Checks that the version and the features are supported (A6, A7).
  private static func checkVersion(_ prefix: ArchivePrefix) throws(FormatError) {
    typealias Field = ArchivePrefix.FieldOffset
    guard prefix.majorVersion == ArchivePrefix.majorVersion else {
      throw FormatError(
        .unsupportedVersion, at: Field.majorVersion, "format version", expected: "\(ArchivePrefix.majorVersion).x",
        found: "\(prefix.majorVersion).\(prefix.minorVersion)")
    }
    guard prefix.features == 0 else {
      throw FormatError(
        .unsupportedFeature, at: Field.features, "incompatible features", expected: "none", found: .hexadecimal(prefix.features))
    }
  }

  /// Checks that the file has the length stated in its prefix (A9, A10).
  ///
  /// Ignores a stated length above the limit: ``FileLayout`` reports that (A8).
  private static func checkLength(_ prefix: ArchivePrefix, actual: Int) throws(FormatError) {
    guard prefix.fileLength <= FormatLimits.longestFile else { return }
    guard prefix.fileLength <= UInt64(actual) else {
      throw FormatError(.truncated, at: actual, "file length", expected: .number(prefix.fileLength), found: .number(actual))
    }
    guard prefix.fileLength == UInt64(actual) else {
      throw FormatError(
        .trailingBytes, at: Int(prefix.fileLength), "file length", expected: .number(prefix.fileLength), found: .number(actual))
    }
  }
}
