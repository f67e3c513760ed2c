import CorpusKit
import Foundation
import Testing

/// `Spec/archive.schema.json` accepts every JSON form of the corpus, and refuses what it can express.
@Suite struct SchemaTests {
  /// The schema, parsed once.
  private static let schema = Result { try JSONSchema(JSONDocument(parsing: Array(SpecFiles.text("Spec/archive.schema.json").utf8))) }

  private static func jsonForms() throws -> [String] {
    let paths = SpecFiles.paths(under: "Corpus", ending: ".json").filter { !$0.contains("/json/invalid/") && !$0.contains("/engine/") }
    try #require(paths.count > 200)
    return paths
  }

  private static func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: SpecFiles.root.appendingPathComponent(path)))
  }

  @Test("every JSON form of the corpus is valid by the schema", arguments: try Self.jsonForms())
  func accepts(_ path: String) throws {
    let document = try JSONDocument(parsing: Self.bytes(path))
    #expect(try Self.schema.get().accepts(document))
  }

  /// The faults of form that a schema cannot express: for it, 1.0 is an integer.
  private static let beyondSchema = [
    "member-minor-version-is-float", "member-minor-version-with-fraction", "member-origin-is-float", "member-schema-is-exponent",
    "member-schema-is-float", "member-sessions-carried-is-float", "member-version-is-float",
  ]

  @Test("the schema refuses members and tags of wrong form")
  func refuses() throws {
    let schema = try Self.schema.get()
    var accepted: [String] = []
    var count = 0
    for path in SpecFiles.paths(under: "Corpus/json/invalid", ending: ".json") {
      let name = path.split(separator: "/").last ?? ""
      guard name.hasPrefix("member-") || name.hasPrefix("tag-") || name.hasPrefix("version-") else { continue }
      count += 1
      if try schema.accepts(JSONDocument(parsing: Self.bytes(path))) { accepted.append(String(name.dropLast(5))) }
    }
    #expect(count > 100)
    #expect(accepted == Self.beyondSchema)
  }
}
