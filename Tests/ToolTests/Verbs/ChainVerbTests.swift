import CorpusKit
import Foundation
import ProcessKit
import Testing

/// Chains on the command line.
@Suite struct ChainVerbTests {
  @Test("apply gives the archive of a chain, and delta a link to an archive")
  func appliesAndMakesLinks() throws {
    let fixture = try ToolFixture()
    let files = ["chain/1.rsta", "chain/2.rsta", "chain/3.rsta"]
    #expect(try fixture.run(["apply"] + files + ["-o", "out.rsta"]).status == 0)
    let result = try Data(contentsOf: fixture.folder.url("out.rsta"))
    #expect([UInt8](result) == (try Corpus.bytes(of: "links/recreated-result.hex")))
    // A link after the chain, to another archive.
    #expect(try fixture.run(["delta", "chain/3.rsta", "chain/changed.rsta", "-o", "chain/4.rsta"]).status == 0)
    #expect(try fixture.run(["apply"] + files + ["chain/4.rsta", "-o", "out.rsta", "--force"]).status == 0)
    let changed = try Data(contentsOf: fixture.folder.url("out.rsta"))
    #expect([UInt8](changed) == (try Corpus.bytes(of: "links/changed-result.hex")))
    // The folder stands for its last chain.
    try FileManager.default.removeItem(at: fixture.folder.url("chain/changed.rsta"))
    let tree = try fixture.run(["get", "chain", "root/a", "n"])
    #expect(tree.status == 0 && tree.text == "9\n", "\(tree.text)")
    #expect(tree.error.contains("chain/1.rsta with 3 links"), "\(tree.error)")
    #expect(try fixture.run(["report", "chain", "-o", "page.html"]).error == tree.error)
    // A link after the chain of a folder follows its last file.
    try Data(Corpus.bytes(of: "links/recreated-result.hex")).write(to: fixture.folder.url("back.rsta"))
    let link = try fixture.run(["delta", "chain", "back.rsta", "-o", "chain/5.rsta"])
    #expect(link.status == 0, "\(link.error)")
    #expect(try fixture.run(["apply"] + files + ["chain/4.rsta", "chain/5.rsta", "-o", "out.rsta", "--force"]).status == 0)
    #expect(try Data(contentsOf: fixture.folder.url("out.rsta")) == result)
  }

  @Test("a link that does not fit is refused, and nothing is written")
  func refusesLinks() throws {
    let fixture = try ToolFixture()
    let result = try fixture.run(["apply", "chain/1.rsta", "chain/3.rsta", "-o", "out.rsta"])
    #expect(result.status == 1 && result.error.contains("chain/3.rsta"), "\(result.error)")
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.url("out.rsta").path))
    #expect(try fixture.run(["info", "circle/1.rsta"]).status == 2)
  }
}
