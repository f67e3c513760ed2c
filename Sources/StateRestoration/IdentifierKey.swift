/// An identifier as a dictionary key, compared byte by byte like identifiers in archives.
struct IdentifierKey: Sendable, Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: IdentifierKey, right: IdentifierKey) -> Bool {
    left.text.isSameText(as: right.text)
  }

  /// Hashes the text; canonically equivalent texts share a hash, which is harmless.
  func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}
