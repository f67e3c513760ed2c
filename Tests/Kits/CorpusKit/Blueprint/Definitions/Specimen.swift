/// A corpus file generated from a draft, as written in a table: a valid file, or one with a fault.
struct Specimen: Sendable {
  /// The folder below `Corpus`.
  var folder: String
  /// The file name without extension, which describes the example or the fault.
  var name: String
  var draft: Draft
  /// Inserts the fault.
  var edit: @Sendable (inout Blueprint) throws -> Void = { _ in }
  var findings: [Finding] = []
  /// Whether there is a `.json` file too.
  var hasJSON: Bool
  /// The purpose of the file, in one or two sentences.
  var reason: String

  /// Returns a valid file.
  static func vector(_ name: String, folder: String = "valid/vectors", _ draft: Draft, _ reason: String) -> Specimen {
    Specimen(folder: folder, name: name, draft: draft, hasJSON: true, reason: reason)
  }

  /// Returns a file with a fault inserted by an edit.
  static func fault(
    _ name: String, in folder: String = "", of draft: Draft, _ findings: [Finding], _ reason: String,
    edit: @escaping @Sendable (inout Blueprint) throws -> Void
  ) -> Specimen {
    Specimen(folder: folder, name: name, draft: draft, edit: edit, findings: findings, hasJSON: false, reason: reason)
  }

  /// Returns a file whose draft contains the fault, as raw parts.
  static func fault(_ name: String, in folder: String = "", of draft: Draft, _ findings: [Finding], _ reason: String) -> Specimen {
    Specimen(folder: folder, name: name, draft: draft, findings: findings, hasJSON: false, reason: reason)
  }

  /// Returns the same file in another folder.
  func moved(_ folder: String) -> Specimen {
    var copy = self
    copy.folder = folder
    return copy
  }

  /// Returns the assembled file.
  func assemble() throws -> Assembly {
    do {
      var blueprint = try Blueprint(draft)
      try edit(&blueprint)
      return try blueprint.assemble()
    } catch {
      throw BlueprintError("\(folder)/\(name): \(error)")
    }
  }

  /// Returns the generated files: `.hex`, `.expect`, and `.json` if there is one.
  func files() throws -> [GeneratedFile] {
    let file = try assemble()
    let expectation: Expectation
    do {
      expectation = try Expectation(findings.map { try $0.expected(in: file) }, reason: reason)
    } catch {
      throw BlueprintError("\(folder)/\(name): \(error)")
    }
    let stem = "\(folder)/\(name)"
    var files = [
      GeneratedFile(path: stem + ".hex", text: HexSource(title: "\(stem): \(reason)", file: file).text),
      GeneratedFile(path: stem + ".expect", text: expectation.description),
    ]
    if hasJSON { files.append(GeneratedFile(path: stem + ".json", text: JSONForm(draft).document)) }
    return files
  }
}
