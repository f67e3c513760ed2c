import CorpusKit
import RestorationArchive
import RestorationInspection
import TestStage
import Testing

/// Every function of the tool terminates on every file; `InspectionSchemaTests` reads the output for programs.
@Suite struct EveryFileTests {
  /// All files; in the first stage only those of up to 8 KiB, since longer ones take most of the time.
  static func files() throws -> [CorpusFile] {
    try Corpus.files { TestStage.isExhaustive || $0.bytes.count <= 8192 }
  }

  @Test("every function terminates on every file", arguments: try files())
  func everythingReturns(_ file: CorpusFile) throws {
    // The first stage uses one of the two modes, depending on the file.
    let modes = TestStage.isExhaustive ? [SensitiveValues.reveal, .redact] : [file.bytes.count % 2 == 0 ? .reveal : .redact]
    for sensitive in modes {
      let outputs = try SensitiveTests.outputs(of: file.bytes, sensitive)
      #expect(outputs.allSatisfy { $0.isEmpty || $0.hasSuffix("\n") })
    }
  }

  @Test("the dump, the tree and the overview of a valid file report no errors", arguments: try Corpus.files(in: "valid"))
  func validFilesAreFine(_ file: CorpusFile) throws {
    #expect(try ArchiveOverview(file.bytes).findings.isEmpty)
    var tree = PathTree(try ArchiveReader(inspecting: file.bytes))
    var text = ""
    tree.write(to: &text)
    #expect(tree.errors.isEmpty)
    // One line for the application and one for each node.
    #expect(text.split(separator: "\n").count == (try ArchiveReader(file.bytes).nodeCount) + 1)
  }
}
