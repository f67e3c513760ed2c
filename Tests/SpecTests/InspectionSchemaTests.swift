import CorpusKit
import Foundation
import KeyedArchive
import KeyedArchiveKit
import RestorationArchive
import RestorationInspection
import StateRestoration
import Testing

/// `Spec/inspection.schema.json` describes everything that the verbs of the tool print for programs.
@Suite struct InspectionSchemaTests {
  private static let verbs = ["import", "info", "tree", "get", "check", "dump", "resolve", "store", "diff", "sizes"]

  /// The schema of each verb, parsed once.
  private static let schemas = Result { Dictionary(uniqueKeysWithValues: try verbs.map { ($0, try makeSchema($0)) }) }

  private static func schema(_ verb: String) throws -> JSONSchema { try #require(schemas.get()[verb]) }

  private static func makeSchema(_ verb: String) throws -> JSONSchema {
    let text = try SpecFiles.text("Spec/inspection.schema.json")
    // The definition of the verb instead of any of them.
    let start = try #require(text.range(of: "  \"anyOf\": ["))
    let end = try #require(text.range(of: "  \"$defs\": {"))
    let narrowed = text[..<start.lowerBound] + "  \"$ref\": \"#/$defs/\(verb)\",\n" + text[end.lowerBound...]
    return JSONSchema(try JSONDocument(parsing: Array(narrowed.utf8)))
  }

  private static func expect(_ output: String, _ verb: String, _ file: CorpusFile) throws {
    #expect(try schema(verb).accepts(JSONDocument(parsing: Array(output.utf8))), "\(verb) of \(file)")
  }

  /// Files of every kind; the long ones take most of the time and add nothing.
  private static func files() throws -> [CorpusFile] {
    let files = try Corpus.files { $0.bytes.count <= 8192 }
    return files.enumerated().filter { $0.offset % 29 == 0 || $0.element.path.contains("/apps/") }.map(\.element)
  }

  @Test("the output of every verb is valid by the schema", arguments: try files())
  func accepts(_ file: CorpusFile) throws {
    try Self.expect(CheckReport(file.bytes).json, "check", file)
    var text = ""
    ArchiveDump(file.bytes).writeJSON(to: &text)
    try Self.expect(text, "dump", file)
    guard let archive = try? InspectedArchive(file.bytes) else { return }
    try Self.expect(ArchiveOverview(file.bytes).json, "info", file)
    var options = PathTree.Options()
    (options.showsState, options.showsSizes) = (true, true)
    var tree = PathTree(archive, options: options)
    text = ""
    tree.writeJSON(to: &text)
    try Self.expect(text, "tree", file)
    if let node = try? NodeListing(archive.reader.application()) {
      text = ""
      node.writeJSON(to: &text, .redact)
      try Self.expect(text, "get", file)
    }
    text = ""
    try ResolutionListing(ArchiveResolution(of: archive.reader, with: Resolver {})).writeJSON(to: &text)
    try Self.expect(text, "resolve", file)
    text = ""
    ArchiveSizes(archive).writeJSON(of: "a", to: &text, excesses: ["x"])
    try Self.expect(text, "sizes", file)
    let other = try InspectedArchive(Corpus.bytes(of: "valid/apps/notes.rsta"))
    let difference = ArchiveDifference(from: other, to: archive)
    text = ""
    difference.writeJSON(oldName: "a", newName: "b", to: &text)
    try Self.expect(text, "diff", file)
    text = ""
    difference.writeStatisticsJSON(oldName: "a", newName: "b", to: &text)
    try Self.expect(text, "diff", file)
  }

  @Test("the overview of an import is valid by the schema", arguments: AppleFixture.all)
  func acceptsImports(_ fixture: AppleFixture) throws {
    guard case .valid = fixture.outcome, fixture.windows == nil, fixture.bytes.count <= 8192 else { return }
    let overview = ImportOverview(try ImportedArchive(decoding: fixture.bytes), byteCount: fixture.bytes.count)
    for text in [overview.json(), overview.json(of: "data.data")] {
      #expect(try Self.schema("import").accepts(JSONDocument(parsing: Array(text.utf8))), "\(text)")
    }
  }

  @Test("the list of a store is valid by the schema")
  func acceptsStores() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("schema-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try RestorationStore(folder: folder.path)
    let header = ArchiveHeader(bundleVersion: "42", timestamp: Date(timeIntervalSinceReferenceDate: 0))
    try store.save(ArchiveTree(header: header, nodes: [ArchiveNode("a")]).encoded())
    try store.save(ArchiveTree().encoded(), as: #require(.scene("left")))
    try Data("text".utf8).write(to: folder.appendingPathComponent("application.0000000009.rsta"))
    let text = try StoreListing(store).json
    #expect(try Self.schema("store").accepts(JSONDocument(parsing: Array(text.utf8))))
    #expect(try !Self.schema("sizes").accepts(JSONDocument(parsing: Array(text.utf8))))
  }
}
