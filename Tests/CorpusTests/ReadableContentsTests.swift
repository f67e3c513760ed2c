import CorpusKit
import RestorationArchive
import Testing

/// The readable part of a node whose contents are partly damaged.
@Suite struct ReadableContentsTests {
  /// Visits all reachable nodes of a file.
  private static func visitNodes(of file: CorpusFile, _ body: (NodeReader) -> Void) {
    guard let archive = try? ArchiveReader(inspecting: file.bytes), let application = try? archive.application() else {
      return #expect(file.expectation?.outcome != .valid)
    }
    var nodes = [application]
    while let node = nodes.popLast() {
      node.visitChildren { child in if let child = try? child.get() { nodes.append(child) } }
      body(node)
    }
  }

  @Test("the readable contents are complete, or errors report the missing parts", arguments: try Corpus.files())
  func tellsWhatIsMissing(_ file: CorpusFile) {
    Self.visitNodes(of: file) { node in
      let whole = Result { () throws(ArchiveError) in try node.everything() }
      switch (whole, Result { () throws(ArchiveError) in try ReadableContents(of: node) }) {
      case (.success(let whole), .success(let contents)):
        #expect(contents.state == whole.state && contents.attributes == whole.attributes)
        #expect(contents.stateErrors.isEmpty && contents.attributeErrors.isEmpty)
      case (.failure(let error), .success(let contents)):
        let errors = contents.attributeErrors + contents.stateErrors
        // The first error is the one that reading everything stops at, whichever list it is in. An error in the
        // provider affects nothing else.
        #expect(errors.isEmpty || errors[0].code == error.code, "\(node.path)")
        for entry in contents.state { #expect(!contents.stateErrors.contains { $0.key == entry.key }, "\(node.path)") }
      case (.failure(let error), .failure(let other)): #expect(other.code == error.code, "\(node.path)")
      case (.success, .failure(let error)): Issue.record(error, "\(node.path) can be read")
      }
    }
  }

  @Test("the corpus has unreadable nodes and partly readable ones")
  func meetsFaults() throws {
    var (whole, part, nothing) = (0, 0, 0)
    for file in try Corpus.files() {
      Self.visitNodes(of: file) { node in
        guard let contents = try? ReadableContents(of: node) else {
          nothing += 1
          return
        }
        if contents.stateErrors.isEmpty, contents.attributeErrors.isEmpty { whole += 1 } else { part += 1 }
      }
    }
    #expect(whole > 100 && part > 10 && nothing > 0, "\(whole) whole, \(part) in part, \(nothing) not at all")
  }
}
