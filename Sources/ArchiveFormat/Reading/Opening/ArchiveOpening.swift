/// The first steps of reading: which prefix copy, is it of a version that is known, does the length agree (checks A1 to A12 of Spec §7.2).
package struct ArchiveOpening: Sendable {
  /// The prefix that is used.
  package let prefix: ArchivePrefix
  /// Where the parts lie.
  package let layout: FileLayout
  /// Whether the first prefix copy is damaged, so that the second one is used.
  package let usesSecondPrefix: Bool
  /// What the first read delivered, from offset 0 on.
  package let head: [UInt8]
  /// The error about a file length that is not the one in the prefix, if that was tolerated.
  package let lengthError: FormatError?
  /// How many bytes the file has.
  package let length: Int

  /// How much the first read asks for: two blocks, which often hold the metadata as well, and the tree or its first nodes.
  private static let headLength = 2 * ChecksumTree.blockSize

  /// Opens `source`.
  ///
  /// With `toleratesLength` it goes on with a file that is shorter or longer than its prefix says, as tools do to show what is left of it;
  /// what is missing then counts as damaged.
  package init(_ source: ArchiveSource, toleratesLength: Bool = false, limits: OpeningLimits = .format) throws(FormatError) {
    length = try source.byteCount()
    head = try source.read(0..<min(length, Self.headLength))
    (prefix, usesSecondPrefix) = try Self.readPrefix(head: head, length: length, source)
    try Self.checkVersion(prefix)
    do {
      try Self.checkLength(prefix, actual: length)
      lengthError = nil
    } catch {
      guard toleratesLength else { throw error }
      lengthError = error
    }
    layout = try FileLayout(prefix)
    try limits.check(layout)
  }

  /// Chooses the prefix copy (checks A1 to A5).
  static func readPrefix(
    head: [UInt8], length: Int, _ source: ArchiveSource
  ) throws(FormatError) -> (ArchivePrefix, isSecond: Bool) {
    guard length > 0 else { throw FormatError(.emptyFile, at: 0, "file", expected: .text("an archive"), found: .text("no bytes")) }
    guard head.count >= ArchivePrefix.magic.count else {
      throw FormatError(.tooShort, at: 0, "file", expected: .text("at least 8 bytes"), found: .number(UInt64(head.count)))
    }
    guard ArchivePrefix.hasMagic(head.span) else {
      if let second = try readSecondPrefix(length: length, source) { return (second, true) }
      throw magicError(head)
    }
    guard head.count >= ArchivePrefix.byteCount else {
      throw FormatError(
        .truncated, at: length, "file", expected: .text("at least \(ArchivePrefix.byteCount) bytes"), found: .number(UInt64(length)))
    }
    let first = head.span.extracting(0..<ArchivePrefix.byteCount)
    if ArchivePrefix.isIntact(first) { return (ArchivePrefix(reading: first), false) }
    if let second = try readSecondPrefix(length: length, source) { return (second, true) }
    throw FormatError(
      .prefixDamaged, at: 0, "prefix", expected: .hexadecimal(first.uint64(at: ArchivePrefix.FieldOffset.prefixDigest)),
      found: .hexadecimal(XXH64.hash(first.extracting(0..<ArchivePrefix.FieldOffset.prefixDigest))))
  }

  /// The copy of the prefix at the end, if it is intact and of a file of this length (rule R-7.1-1).
  private static func readSecondPrefix(length: Int, _ source: ArchiveSource) throws(FormatError) -> ArchivePrefix? {
    guard length >= 2 * ArchivePrefix.byteCount else { return nil }
    let bytes = try source.read((length - ArchivePrefix.byteCount)..<length)
    guard bytes.count == ArchivePrefix.byteCount, ArchivePrefix.isIntact(bytes.span) else { return nil }
    let prefix = ArchivePrefix(reading: bytes.span)
    return prefix.fileLength == UInt64(length) ? prefix : nil
  }

  private static func magicError(_ head: [UInt8]) -> FormatError {
    if let place = MagicDamage.place(in: head.span) {
      return FormatError(
        .textModeDamage, at: place, "magic", expected: .text("89 52 53 54 0d 0a 1a 0a"),
        found: .text("what a transfer in text mode makes of it"))
    }
    return FormatError(
      .badMagic, at: 0, "magic", expected: .text("89 52 53 54 0d 0a 1a 0a"), found: .text(hexadecimal(head.prefix(8))))
  }

  private static func hexadecimal(_ bytes: ArraySlice<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }

  /// Checks that the version and the features are known (A6, A7).
  static func checkVersion(_ prefix: ArchivePrefix) throws(FormatError) {
    typealias Field = ArchivePrefix.FieldOffset
    guard prefix.majorVersion == ArchivePrefix.majorVersion else {
      throw FormatError(
        .unsupportedVersion, at: Field.majorVersion, "format version", expected: .text("\(ArchivePrefix.majorVersion).x"),
        found: .text("\(prefix.majorVersion).\(prefix.minorVersion)"))
    }
    guard prefix.features == 0 else {
      throw FormatError(
        .unsupportedFeature, at: Field.features, "incompatible features", expected: .text("none"),
        found: .hexadecimal(UInt64(prefix.features)))
    }
  }

  /// Checks that the file is as long as its prefix says (A9, A10), unless that is too long anyhow: then ``FileLayout`` says so (A8).
  static func checkLength(_ prefix: ArchivePrefix, actual: Int) throws(FormatError) {
    guard prefix.fileLength <= FileLayout.longestFile else { return }
    guard prefix.fileLength <= UInt64(actual) else {
      throw FormatError(.truncated, at: actual, "file length", expected: .number(prefix.fileLength), found: .number(UInt64(actual)))
    }
    guard prefix.fileLength == UInt64(actual) else {
      throw FormatError(
        .trailingBytes, at: Int(prefix.fileLength), "file length", expected: .number(prefix.fileLength), found: .number(UInt64(actual)))
    }
  }
}
