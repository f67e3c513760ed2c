import CorpusKit
import Foundation
import KeyedArchive
import KeyedArchiveKit
import ProcessKit
import RestorationArchive
import RestorationInspection
import StateRestoration
import TestStage
import Testing

/// `Spec/inspection.schema.json` describes everything that the verbs of the tool print for programs, exactly; the members of
/// each object are sorted.
@Suite struct InspectionSchemaTests {
  private static let verbs = [
    "info", "tree", "get", "check", "dump", "salvage", "resolve", "store", "diff", "sizes", "search", "storeComparison", "failure",
  ]

  private static let document = Result { try parse("Spec/inspection.schema.json", replacing: [:]) }

  /// The schema of each verb, parsed once.
  private static let schemas = Result {
    // The definitions of the other schema move into this one, under names of their own.
    let archive = try parse("Spec/archive.schema.json", replacing: ["\"#/$defs/": "\"#/$defs/archive."])
    let inspection = try parse("Spec/inspection.schema.json", replacing: ["\"archive.schema.json#/$defs/": "\"#/$defs/archive."])
    var definitions = inspection["$defs"]?.members ?? [:]
    for (name, definition) in archive["$defs"]?.members ?? [:] { definitions[Array("archive.".utf8) + name] = definition }
    return try Dictionary(
      uniqueKeysWithValues: verbs.map { verb in
        // The definition of the verb instead of any of them.
        let reference = JSONDocument.string(Array("#/$defs/\(verb)".utf8))
        return (verb, try JSONSchema(.object([Array("$ref".utf8): reference, Array("$defs".utf8): .object(definitions)])))
      })
  }

  private static func parse(_ path: String, replacing replacements: [String: String]) throws -> JSONDocument {
    var text = try SpecFiles.text(path)
    for (old, new) in replacements { text = text.replacing(old, with: new) }
    return try JSONDocument(parsing: Array(text.utf8))
  }

  private static func expect(_ output: String, _ verb: String, _ file: String) throws {
    let schema = try #require(schemas.get()[verb])
    #expect(try schema.accepts(JSONDocument(parsing: Array(output.utf8), sorted: true)), "\(verb) of \(file): \(output.prefix(500))")
  }

  /// Returns what a function writes.
  private static func text(_ write: (inout String) throws -> Void) rethrows -> String {
    var text = ""
    try write(&text)
    return text
  }

  // MARK: The schema itself

  @Test("no object of the schema may have members that it does not list")
  func isExact() throws {
    var count = 0
    func visit(_ schema: JSONDocument, _ place: String) {
      if schema["properties"] != nil {
        count += 1
        #expect(schema["additionalProperties"] == .bool(false), "\(place)")
      }
      #expect(schema["type"]?.text != "object" || schema["properties"] != nil, "\(place) may be any object")
      for (name, value) in schema.members { visit(value, "\(place)/\(String(decoding: name, as: UTF8.self))") }
      for (index, element) in schema.elements.enumerated() { visit(element, "\(place)/\(index)") }
    }
    visit(try Self.document.get(), "")
    #expect(count > 30)
  }

  @Test("a report of another verb, a member too many, and a member too few are not accepted")
  func refuses() throws {
    let salvage = try #require(Self.schemas.get()["salvage"])
    let report = Self.text { ArchiveSalvage([]).writeReportJSON(to: &$0) }
    #expect(try salvage.accepts(JSONDocument(parsing: Array(report.utf8))))
    #expect(try !salvage.accepts(JSONDocument(parsing: Array(report.replacing("\"faults\"", with: "\"fault\"").utf8))))
    #expect(try !salvage.accepts(JSONDocument(parsing: Array(report.replacing("\"bytes\"", with: "\"byteCount\"").utf8))))
    #expect(try !salvage.accepts(JSONDocument(parsing: Array(Self.text { CheckReport([]).writeJSON(to: &$0) }.utf8))))
  }

  // MARK: Archives

  /// Files of every kind; in the first stage a sample, without the long ones, which take most of the time.
  ///
  /// The system's regular expressions cannot match the base64 of megabytes.
  private static func files() throws -> [CorpusFile] {
    let files = try Corpus.files { $0.bytes.count <= TestStage.count(8192, exhaustive: 1 << 18) }
    return TestStage.isExhaustive
      ? files : files.enumerated().filter { $0.offset % 29 == 0 || $0.element.path.contains("/apps/") }.map(\.element)
  }

  @Test("the output of every verb is valid by the schema", arguments: try files())
  func accepts(_ file: CorpusFile) throws {
    try Self.expect(Self.text { CheckReport(file.bytes).writeJSON(to: &$0) }, "check", file.path)
    try Self.expect(Self.text { ArchiveDump(file.bytes).writeJSON(to: &$0) }, "dump", file.path)
    try Self.expect(Self.text { ArchiveSalvage(file.bytes).writeReportJSON(to: &$0) }, "salvage", file.path)
    if let overview = try? ArchiveOverview(file.bytes) { try Self.expect(overview.json, "info", file.path) }
    guard let archive = try? ArchiveReader(inspecting: file.bytes) else { return }
    try Self.expectQueries(of: archive, file.path)
  }

  @Test("the output about archives that chains stand for is valid by the schema", arguments: TestStage.every(8, of: try CorpusChain.all()))
  func acceptsChains(_ chain: CorpusChain) throws {
    let result = ArchiveChain(base: chain.files[0], links: Array(chain.files.dropFirst()))
    try Self.expectQueries(of: try ArchiveReader(inspecting: result.bytes), chain.description)
  }

  @Test("the output about Apple's files is valid by the schema", arguments: TestStage.every(20, of: try AppleCorpusFile.files()))
  func acceptsImports(_ file: AppleCorpusFile) throws {
    try Self.expect(Self.text { ArchiveDump(file.bytes).writeJSON(to: &$0) }, "dump", file.path)
    let (windows, bytes) = (file.windows, file.bytes)
    let found = try? windows == nil ? ImportedArchive(decoding: bytes) : ImportedArchive(windows: windows ?? [], data: bytes)
    guard let imported = found else { return }
    let overview = ImportOverview(imported, byteCount: file.bytes.count)
    try Self.expect(Self.text { overview.writeJSON(to: &$0) }, "info", file.path)
    try Self.expect(Self.text { overview.writeJSON(of: "a", to: &$0) }, "check", file.path)
    if let bytes = try? imported.tree.encoded() { try Self.expectQueries(of: try ArchiveReader(inspecting: [UInt8](bytes)), file.path) }
  }

  /// Checks the output of the verbs that need an open archive.
  private static func expectQueries(of archive: ArchiveReader, _ file: String) throws {
    var options = PathTree.Options()
    (options.showsState, options.showsSizes) = (true, true)
    var tree = PathTree(archive, options: options)
    try expect(text { tree.writeJSON(to: &$0) }, "tree", file)
    if let node = try? NodeListing(archive.application()) {
      try expect(text { node.writeJSON(to: &$0, .redact) }, "get", file)
    }
    let resolution = ArchiveResolution(of: archive, with: try Resolver {})
    try expect(text { resolution.writeJSON(to: &$0) }, "resolve", file)
    try expect(text { ArchiveSizes(archive).writeJSON(of: "a", to: &$0, excesses: ["x"], unmatched: ["y"]) }, "sizes", file)
    let pattern = try TextPattern("/[aeiou]/")
    let search = text {
      ArchiveSearch.writeJSON(to: &$0) { write in
        for name in [nil, ArchiveName.application] {
          var search = ArchiveSearch(archive, ArchiveSearch.Options(pattern: pattern), of: name)
          write(&search)
        }
        return [["archive": "left", "error": ["message": "a", "status": 2] as JSONMembers]]
      }
    }
    try expect(search, "search", file)
    let other = try ArchiveReader(inspecting: Corpus.bytes(of: "valid/apps/notes.rsta"))
    for difference in [ArchiveDifference(from: other, to: archive), ArchiveDifference(from: archive, to: other)] {
      try expect(text { difference.writeJSON(oldName: "a", newName: "b", to: &$0) }, "diff", file)
      try expect(text { difference.writeJSON(oldName: "a", newName: "b", isStatistics: true, to: &$0) }, "diff", file)
    }
  }

  @Test("the overview of an import is valid by the schema", arguments: AppleFixture.all)
  func acceptsImports(_ fixture: AppleFixture) throws {
    guard case .valid = fixture.outcome, fixture.windows == nil, fixture.bytes.count <= 8192 else { return }
    let overview = ImportOverview(try ImportedArchive(decoding: fixture.bytes), byteCount: fixture.bytes.count)
    for name in [nil, "data.data"] { try Self.expect(Self.text { overview.writeJSON(of: name, to: &$0) }, "info", "an import") }
  }

  // MARK: Stores

  @Test("the list of a store is valid by the schema, also with damaged files and offers")
  func acceptsStores() throws {
    let folder = try TemporaryFolder()
    let path = folder.url("store").path
    let store = try RestorationStore(folder: path)
    let header = ArchiveHeader(bundleVersion: "42", timestamp: Date(timeIntervalSinceReferenceDate: 0))
    for number in 1...3 {
      try store.save(ArchiveTree(header: header, nodes: [ArchiveNode("a", state: ["number": .integer(ArchiveInteger(number))])]).encoded())
    }
    try store.save(ArchiveTree().encoded(), as: #require(.scene("left")))
    try Data("text".utf8).write(to: folder.url("store/application.0000000009.rsta"))
    try Self.expect(try StoreListing(store).json, "store", "a store")
    let safe = try StoreListing(RestorationStore(folder: path, access: .reading))
    try Self.expect(safe.json, "store", "a store that is read")
    let sizes = try #require(Self.schemas.get()["sizes"])
    #expect(try !sizes.accepts(JSONDocument(parsing: Array(safe.json.utf8))))
  }

  // MARK: The tool

  @Test("a comparison of stores and a failure are valid by the schema")
  func acceptsOtherResults() throws {
    let folder = try TemporaryFolder()
    for (name, node) in [("a", "left"), ("b", "right")] {
      let store = try RestorationStore(folder: folder.url(name).path)
      try store.save(ArchiveTree(nodes: [ArchiveNode(node)]).encoded())
      try store.save(ArchiveTree().encoded(), as: #require(.scene(name)))
    }
    let comparison = try TestProcess.run("restoration", ["store", "--format", "json", "a", "b"], in: folder.root, limit: 60)
    #expect(comparison.status == 1)
    try Self.expect(comparison.text, "storeComparison", "two stores")
    for (file, status) in [("absent", 74), ("empty", 2), ("a@9", 1)] {
      try Data().write(to: folder.url("empty"))
      let failure = try TestProcess.run("restoration", ["tree", "--format", "json", file], in: folder.root, limit: 60)
      #expect(failure.status == Int32(status))
      try Self.expect(failure.text, "failure", file)
    }
  }

  /// Command lines; the folder has an archive, a damaged one, one that is cut, a chain, a store and a property list.
  private static let commands = [
    "check broken/2.rsta", "salvage broken/2.rsta", "info notes.rsta", "info list.plist", "info chain", "info chain/2.rsta --link",
    "tree damaged.rsta --state --sizes",
    "tree list.plist --state", "tree chain/2.rsta --link", "get notes.rsta main", "check notes.rsta cut.rsta list.plist",
    "check damaged.rsta", "dump notes.rsta", "dump cut.rsta", "salvage damaged.rsta", "salvage cut.rsta", "resolve damaged.rsta",
    "store store", "store store --scene left", "diff notes.rsta damaged.rsta", "diff notes.rsta damaged.rsta --stat",
    "sizes notes.rsta damaged.rsta", "sizes notes.rsta --budget budget.txt", "search notes.rsta note --reveal",
  ]

  @Test("the tool itself prints what the schema says", arguments: TestStage.every(4, of: commands))
  func acceptsTheTool(_ command: String) throws {
    let folder = try TemporaryFolder()
    func write(_ bytes: [UInt8], _ name: String) throws { try Data(bytes).write(to: folder.url(name)) }
    let notes = try Corpus.bytes(of: "valid/apps/notes.rsta")
    try write(notes, "notes.rsta")
    try write(Array(notes.prefix(3000)), "cut.rsta")
    try write(try Corpus.bytes(of: "damaged/block-of-states.hex"), "damaged.rsta")
    try write(Array("(archive): 1 KiB\n".utf8), "budget.txt")
    try write(Array("<plist version=\"1.0\"><dict><key>a</key><integer>1</integer></dict></plist>".utf8), "list.plist")
    try FileManager.default.createDirectory(at: folder.url("chain"), withIntermediateDirectories: true)
    try write(try Corpus.bytes(of: "links/base.hex"), "chain/1.rsta")
    try write(try Corpus.bytes(of: "links/removed.hex"), "chain/2.rsta")
    try FileManager.default.copyItem(at: folder.url("chain"), to: folder.url("broken"))
    var link = try Corpus.bytes(of: "links/removed.hex")
    link[link.count / 2] ^= 1
    try write(link, "broken/2.rsta")
    let store = try RestorationStore(folder: folder.url("store").path)
    try store.save(notes)
    try store.save(ArchiveTree().encoded(), as: #require(.scene("left")))
    let words = command.split(separator: " ").map(String.init)
    let result = try TestProcess.run("restoration", words + ["--format", "json"], in: folder.root, limit: 60)
    #expect([0, 1].contains(result.status), "\(result.error)")
    // A verb with several files prints one object for each, one after the other.
    let objects = result.text.split(separator: "\n}\n").map { String($0) + "\n}\n" }
    #expect(objects.count == words.filter { words[0] != "diff" && $0.contains(".") && !$0.hasSuffix(".txt") }.count || objects.count == 1)
    for object in objects { try Self.expect(object, words[0], command) }
  }
}
