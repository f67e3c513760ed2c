/// A corpus file that is not an archive, as written in a table.
struct PlainFile: Sendable {
  var folder: String
  var name: String
  var parts: [Part]
  var findings: [Finding]
  var reason: String

  init(_ name: String, in folder: String, _ parts: [Part], _ findings: [Finding], _ reason: String) {
    self.folder = folder
    self.name = name
    self.parts = parts
    self.findings = findings
    self.reason = reason
  }

  /// Returns the `.hex` and `.expect` files.
  func files() throws -> [GeneratedFile] {
    var file = Assembly()
    file.add(try Part.pieces(parts, label: "file", depth: 0), label: "file", heading: "bytes")
    let stem = "\(folder)/\(name)"
    let expectation = try Expectation(findings.map { try $0.expected(in: file) }, reason: reason)
    return [
      GeneratedFile(path: stem + ".hex", text: HexSource(title: "\(stem): \(reason)", file: file).text),
      GeneratedFile(path: stem + ".expect", text: expectation.description),
    ]
  }
}
