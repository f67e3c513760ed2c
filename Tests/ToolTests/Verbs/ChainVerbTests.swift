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

  @Test("a damaged link costs its save, which check and salvage list, also as JSON", arguments: ["check", "salvage"])
  func listsLostSaves(_ verb: String) throws {
    let fixture = try ToolFixture()
    var link = try Corpus.bytes(of: "links/recreated.hex")
    link[link.count / 2] ^= 1
    try Data(link).write(to: fixture.folder.url("chain/3.rsta"))
    let text = try fixture.run([verb, "chain/3.rsta"])
    #expect(text.status == 1 && text.text.contains("the last save"), "\(text.text)")
    let json = try fixture.run([verb, "--format", "json", "chain/3.rsta"])
    #expect(json.status == 1)
    let report = try #require(try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
    let lost = try #require(report["lostSaves"] as? [String: Any])
    #expect(lost["file"] as? String == "chain/3.rsta" && lost["links"] as? [String] == ["chain/3.rsta"])
    #expect((lost["error"] as? [String: Any])?["kind"] as? String == "damaged")
    guard verb == "check" else { return }
    #expect(text.text.contains(" with 1 of its 2 links") && report["appliedLinkCount"] as? Int == 1, "\(text.text)")
    let whole = try JSONSerialization.jsonObject(with: fixture.run([verb, "--format", "json", "chain/2.rsta"]).output) as? [String: Any]
    #expect(whole?["appliedLinkCount"] as? Int == 1 && whole?["isValid"] as? Bool == true)
  }

  @Test("delta names the file that is at fault, whatever harmless damage the other has")
  func blamesTheRightFile() throws {
    let fixture = try ToolFixture()
    var before = try Corpus.bytes(of: "links/base.hex")
    before[before.count - 1] ^= 1
    try Data(before).write(to: fixture.folder.url("before.rsta"))
    for (files, fault) in [(["before.rsta", "damaged.rsta"], "damaged.rsta"), (["damaged.rsta", "before.rsta"], "damaged.rsta")] {
      let result = try fixture.run(["delta", "-o", "link.rsta"] + files)
      #expect(result.status == 1 && result.error.hasPrefix("restoration: \(fault): "), "\(result.error)")
    }
    #expect(try fixture.run(["delta", "-o", "link.rsta", "before.rsta", "chain/changed.rsta"]).status == 0)
  }

  @Test("the tree of a link by itself has its changes as JSON too")
  func showsChangesAsJSON() throws {
    let json = try ToolFixture().run(["tree", "--link", "--format", "json", "chain/3.rsta"]).text
    #expect(json.contains("\"change\": \"unchanged\"") && json.contains("\"isPlaced\": true"), "\(json)")
  }

  @Test func appliesOneStreamAtMost() throws {
    let result = try ToolFixture().run(["apply", "-", "-"])
    #expect(result.status == 64 && result.error.contains("only one file can be standard input"))
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
