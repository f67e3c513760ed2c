import ArchiveFormat

extension ArchiveError: CustomStringConvertible {
  /// The line of a finding or an error: the subject, the expected and actual content, the place and the rule.
  ///
  /// Control and bidirectional characters in the path and key are escaped, so that the line is safe to print.
  public var description: String {
    var line = subject
    if !expected.isEmpty { line += ": expected \(expected)" }
    if !found.isEmpty { line += expected.isEmpty ? ": found \(found)" : ", found \(found)" }
    var place: [String] = []
    if let offset { place.append("at offset 0x\(String(offset, radix: 16))") }
    if let path { place.append("path \(path.displayText)") }
    if let key { place.append("key \(key.escapedForDisplay)") }
    if !place.isEmpty { line += " (\(place.joined(separator: ", ")))" }
    return "\(line) [\(rule)]"
  }
}
