/// A text as a dictionary key, compared byte by byte as in archives: an identifier, a type, the name of a provider, a key.
struct TextKey: Sendable, Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: TextKey, right: TextKey) -> Bool {
    left.text.isSameText(as: right.text)
  }

  /// Hashes the text; canonically equivalent texts share a hash, which is harmless.
  func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}
