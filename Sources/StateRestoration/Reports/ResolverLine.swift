import RestorationArchive

/// The line of source that a resolver lacks.
enum ResolverLine {
  /// The line for one node.
  static func line(_ path: RestorationPath, _ type: String?) -> String {
    if let type { return "Factory(type: \(literal(type))) { node in … }" }
    return "Factory(path: \(literal(pattern(path)))) { node in … }"
  }

  /// The lines for several nodes, each once.
  static func lines(_ nodes: [(path: RestorationPath, type: String?)]) -> [String] {
    var seen: Set<String> = []
    return nodes.map { line($0.path, $0.type) }.filter { seen.insert($0).inserted }
  }

  /// A path as the pattern that stands for it alone.
  private static func pattern(_ path: RestorationPath) -> String {
    path.components.map { identifier in
      String(
        decoding: identifier.utf8.flatMap { byte -> [UInt8] in
          switch byte {
          case UInt8(ascii: "~"): Array("~0".utf8)
          case UInt8(ascii: "/"): Array("~1".utf8)
          case UInt8(ascii: "*"): Array("~2".utf8)
          default: [byte]
          }
        }, as: UTF8.self)
    }.joined(separator: "/")
  }

  private static func literal(_ text: String) -> String {
    var literal = ""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { literal.unicodeScalars.append("\\") }
      literal.unicodeScalars.append(scalar)
    }
    // What is escaped for display is escaped as Swift source does it.
    return literal.quotedForDisplay
  }
}
