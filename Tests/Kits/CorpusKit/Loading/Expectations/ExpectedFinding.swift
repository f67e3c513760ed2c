/// A finding that a checker must report for a corpus file (Spec 7.2).
public struct ExpectedFinding: Equatable, Sendable, CustomStringConvertible {
  /// The error code, as listed in the registry.
  public var code: String
  /// The offset in the file; -1 for a fault that has none.
  public var offset: Int
  /// The broken rule, such as `R-6.1-2`.
  public var rule: String
  /// The text form of the path (Spec 3.1), if known; empty for the application state.
  public var path: String?
  /// The key of the outermost entry, if known.
  public var key: String?

  /// Creates an expected finding.
  ///
  /// - Parameters:
  ///   - code: The error code, as listed in the registry.
  ///   - offset: The offset in the file; -1 for a fault that has none.
  ///   - rule: The broken rule.
  ///   - path: The text form of the path, if known.
  ///   - key: The key of the outermost entry, if known.
  public init(code: String, offset: Int, rule: String, path: String? = nil, key: String? = nil) {
    self.code = code
    self.offset = offset
    self.rule = rule
    self.path = path
    self.key = key
  }

  /// The finding as written after `finding:` in an `.expect` file.
  public var description: String {
    var text = "\(code) \(offset < 0 ? "-" : "0x\(String(offset, radix: 16))") \(rule)"
    if let path { text += " path=\(PercentText.encode(path))" }
    if let key { text += " key=\(PercentText.encode(key))" }
    return text
  }

  /// Parses the text after `finding:` in an `.expect` file.
  ///
  /// - Parameter text: Code, offset and rule, optionally `path=` and `key=`, separated by single spaces.
  public init?(_ text: some StringProtocol) {
    var words = text.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 3, words[1] == "-" || words[1].hasPrefix("0x"),
      let offset = words[1] == "-" ? -1 : Int(words[1].dropFirst(2), radix: 16)
    else { return nil }
    self.init(code: String(words[0]), offset: offset, rule: String(words[2]))
    words.removeFirst(3)
    if let word = words.first, word.hasPrefix("path=") {
      guard let value = PercentText.decode(word.dropFirst(5)) else { return nil }
      path = value
      words.removeFirst()
    }
    if let word = words.first, word.hasPrefix("key=") {
      guard let value = PercentText.decode(word.dropFirst(4)) else { return nil }
      key = value
      words.removeFirst()
    }
    guard words.isEmpty else { return nil }
  }

  /// Returns whether two findings are equal, with text compared by its bytes (R-1.3-1).
  ///
  /// - Parameters:
  ///   - left: A finding.
  ///   - right: Another one.
  /// - Returns: Whether all five properties are equal.
  public static func == (left: ExpectedFinding, right: ExpectedFinding) -> Bool {
    left.description.utf8.elementsEqual(right.description.utf8)
  }
}
