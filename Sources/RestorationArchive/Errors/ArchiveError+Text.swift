import ArchiveFormat

extension ArchiveError: CustomStringConvertible {
  /// The line of a finding or an error: the fault, its place and the rule.
  ///
  /// Control and bidirectional characters in the path and key are escaped, so that the line is safe to print.
  public var description: String {
    var line = words
    var place: [String] = []
    if let offset { place.append("at offset 0x\(String(offset, radix: 16))") }
    if let path { place.append("path \(path.displayText)") }
    if let key { place.append("key \(key.escapedForDisplay)") }
    if !place.isEmpty { line += " (\(place.joined(separator: ", ")))" }
    return "\(line) [\(rule)]"
  }

  /// The fault: a sentence for the most frequent codes, else the subject with the expected and actual content.
  private var words: String { FormatErrorCode(rawValue: code.rawValue).flatMap(sentence) ?? comparison(of: subject) }

  /// Returns the sentence of a code; nil if it has none, or if this error lacks the quantities for it.
  private func sentence(of code: FormatErrorCode) -> String? {
    switch code {
    case .blockDamaged, .prefixDamaged, .metadataDamaged, .treeDamaged: damage
    case .blocksUnverifiable: "the \(subject) are damaged in both copies"
    case .prefixCopiesDiffer: "the two copies of the prefix are intact, but differ"
    case .truncated: truncation
    case .trailingBytes:
      difference.map { "the file has \(Self.counted($0.count, "byte")) too many: \($0.found) instead of \($0.expected)" }
    case .emptyFile: "the file is empty"
    case .tooShort: "the file has \(Self.counted(found, "byte")), too few for an archive"
    case .badMagic: "the file is not an archive: its first bytes are \(found), and should be \(expected)"
    case .textModeDamage: "the file was damaged by a transfer as text, which changed its line endings"
    case .unsupportedVersion: "the file has format version \(found), and this build reads \(expected)"
    case .unresolvedLink: "the file is a link: it has only the changes since the file before it"
    case .missingLink: comparison(of: "the \(subject) is missing")
    case .wrongBase:
      found.hasPrefix("0x") ? "the link follows a file with the content digest \(expected), and the file before it has \(found)" : nil
    default: nil
    }
  }

  /// The sentence of damaged bytes.
  private var damage: String? {
    guard found.isEmpty || found.hasPrefix("0x") else { return nil }
    // The subject of an error without details is its code in words.
    if subject == "block damaged" { return "a block is damaged" }
    if subject.hasSuffix(" damaged") { return "the \(subject.dropLast(" damaged".count)) is damaged" }
    let isPlural = subject.hasSuffix("s")
    let damaged = "\(subject) \(isPlural ? "are" : "is") damaged"
    guard !found.isEmpty else { return comparison(of: damaged) }
    return "\(damaged): \(isPlural ? "their" : "its") checksum is \(found), and should be \(expected)"
  }

  /// The sentence of a file that ends too early.
  private var truncation: String? {
    if let difference {
      return "the file is truncated: it lacks \(difference.count) of its \(Self.counted("\(difference.expected)", "byte"))"
    }
    return found.isEmpty ? nil : "the file is truncated: it has \(Self.counted(found, "byte")), and an archive has \(expected)"
  }

  /// The expected and actual number, and the distance between them.
  private var difference: (expected: UInt64, found: UInt64, count: String)? {
    guard let wanted = UInt64(expected), let actual = UInt64(found) else { return nil }
    return (wanted, actual, "\(max(wanted, actual) - min(wanted, actual))")
  }

  /// Returns a subject with the expected and actual content.
  private func comparison(of subject: String) -> String {
    switch (expected.isEmpty, found.isEmpty) {
    case (false, false): "\(subject): expected \(expected), found \(found)"
    case (false, true): "\(subject): expected \(expected)"
    case (true, false): "\(subject): found \(found)"
    case (true, true): subject
    }
  }

  private static func counted(_ count: String, _ noun: String) -> String { "\(count) \(noun)\(count == "1" ? "" : "s")" }
}
