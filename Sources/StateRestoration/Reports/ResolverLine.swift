import RestorationArchive

/// The source line that is missing from a resolver.
enum ResolverLine {
  /// Returns the `Factory` registration, as source code, that would match one node.
  static func line(_ path: RestorationPath, _ type: String?, provider: String?) -> String {
    if let provider { return "Factory(provider: \(literal(provider))) { node in … }" }
    if let type { return "Factory(type: \(literal(type))) { node in … }" }
    return "Factory(path: \(literal(pattern(path)))) { node in … }"
  }

  /// Returns the distinct lines for several nodes.
  static func lines(_ nodes: [RestorationReport.NodeResult]) -> [String] {
    var seen: Set<String> = []
    return nodes.map { line($0.path, $0.type, provider: $0.provider) }.filter { seen.insert($0).inserted }
  }

  /// Returns the pattern that matches only this path.
  private static func pattern(_ path: RestorationPath) -> String {
    path.components.map(PathEscapes.pattern.escape).joined(separator: "/")
  }

  private static func literal(_ text: String) -> String {
    var literal = ""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { literal.unicodeScalars.append("\\") }
      literal.unicodeScalars.append(scalar)
    }
    // Escaping for display uses the syntax of Swift source.
    return literal.quotedForDisplay
  }
}
