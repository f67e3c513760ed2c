/// A finding as written in a table.
struct Finding: Sendable {
  var code: String
  var place: Place
  var rule: String
  var path: String?
  var key: String?

  init(_ code: String, at place: Place, _ rule: String, path: String? = nil, key: String? = nil) {
    self.code = code
    self.place = place
    self.rule = rule
    self.path = path
    self.key = key
  }

  /// Returns the expected finding in an assembled file.
  func expected(in file: Assembly) throws -> ExpectedFinding {
    guard FindingCatalogue.rules[code]?.contains(rule) == true else { throw BlueprintError("the registry has no \(code) with \(rule)") }
    return ExpectedFinding(code: code, offset: try place.offset(in: file), rule: rule, path: path, key: key)
  }
}
