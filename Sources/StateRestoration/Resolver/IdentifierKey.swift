/// An identifier as a key of a dictionary: compared byte by byte, as archives compare identifiers.
struct IdentifierKey: Sendable, Hashable {
  let text: String

  init(_ text: String) {
    self.text = text
  }

  static func == (left: IdentifierKey, right: IdentifierKey) -> Bool {
    left.text.isSameText(as: right.text)
  }

  /// The same bytes have the same hash; that canonically equivalent texts share it too does no harm.
  func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}
