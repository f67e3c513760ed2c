import CorpusKit
import Foundation
import ProcessKit
import RestorationArchive
import Testing

/// What `convert` and `salvage` must not leave out without a word.
@Suite struct ConversionTests {
  private let fixture: ToolFixture

  init() throws {
    fixture = try ToolFixture()
  }

  private func write(_ tree: ArchiveTree, to name: String) throws { try tree.encoded().write(to: fixture.folder.url(name)) }

  @Test("--redact leaves out the sections of others, and says so (R-8-7)", arguments: ["archive", "json", "keyed-archive", "xml-plist"])
  func redactsSections(_ form: String) throws {
    var tree = ArchiveTree(applicationState: ["token": "hunter2"])
    tree.applicationState.setSensitive(true, forKey: "token")
    tree.sections = try ["abCD", "abCd"].map { try ArchiveSection(code: $0, data: Data("hunter2".utf8)) }
    try write(tree, to: "sections.rsta")
    let result = try fixture.run(["convert", "--redact", "--to", form, "sections.rsta", "-o", "out"])
    #expect(result.status == 1 && result.error.contains("sections.rsta: without 2 sections of others: abCD, abCd\n"), "\(result.error)")
    #expect(try !Data(contentsOf: fixture.folder.url("out")).contains(Data("hunter2".utf8)))
    #expect(try fixture.run(["convert", "--reveal", "--to", form, "sections.rsta", "-o", "whole"]).status == 0)
  }

  @Test("fractions of a second that XML lists do not have are counted, whatever the source is (R-K4-3)")
  func countsCutDates() throws {
    let dates = [0.25, 0.75, 1].map { ArchiveValue.date(Date(timeIntervalSinceReferenceDate: $0)) }
    try write(ArchiveTree(applicationState: ["dates": .array(dates)]), to: "dates.rsta")
    for (form, name) in [("json", "dates.json"), ("keyed-archive", "dates.plist")] {
      #expect(try fixture.run(["convert", "--to", form, "dates.rsta", "-o", name]).status == 0)
    }
    for name in ["dates.rsta", "dates.json"] {
      let result = try fixture.run(["convert", "--to", "xml-plist", name])
      #expect(result.status == 1 && result.error.contains("\(name): 2 dates lose their fraction of a second"), "\(result.error)")
      #expect(try fixture.run(["convert", "--to", "plist", name, "-o", "binary-\(name)"]).status == 0)
    }
  }

  @Test("an archive without anything takes the place of none (R-K2-8)", arguments: ["convert", "salvage"])
  func writesNoEmptyArchive(_ verb: String) throws {
    let magic = try Data(contentsOf: fixture.folder.url("alone.data")).prefix(8)
    try (magic + Data(count: 40)).write(to: fixture.folder.url("zeros.data"))
    let good = try Data(contentsOf: fixture.folder.url("small.rsta"))
    for (name, words) in [("alone.data", "5 records of 3 windows cannot be decrypted"), ("zeros.data", "the file cannot be read")] {
      let result = try fixture.run([verb, name, "--force", "-o", "small.rsta"])
      #expect(result.status == 2 && result.error.contains("\(name): nothing c") && result.error.contains(words), "\(result.error)")
      #expect(try Data(contentsOf: fixture.folder.url("small.rsta")) == good)
    }
  }

  @Test("an archive whose first bytes are a property list now is an archive (R-K1-1)")
  func takesNoArchiveForAList() throws {
    let list = Array("<plist><string>gone</string></plist>".utf8)
    let bytes = [UInt8](try Data(contentsOf: fixture.folder.url("small.rsta")))
    try Data(list + bytes.dropFirst(list.count)).write(to: fixture.folder.url("over.rsta"))
    for form in ["xml-plist", "plist", "json"] {
      let result = try fixture.run(["convert", "--to", form, "over.rsta", "-o", "over.\(form)"])
      #expect(result.status == 1 && result.error.contains("prefix"), "\(result.error)")
      _ = try fixture.run(["convert", "--to", form, "small.rsta", "-o", "small.\(form)"])
      let files = try ["over", "small"].map { try Data(contentsOf: fixture.folder.url("\($0).\(form)")) }
      #expect(files[0] == files[1])
    }
  }

  @Test("a damaged copy of a tree node is a fault of the file, and breaks no rule")
  func namesDamagedTreeCopies() throws {
    try Data(Corpus.bytes(of: "damaged/tree-second-copy.hex")).write(to: fixture.folder.url("tree.rsta"))
    let text = try fixture.run(["salvage", "tree.rsta"])
    #expect(text.status == 1 && text.text.contains("everything can be rescued") && text.text.contains("fault: "), "\(text.text)")
    #expect(text.error.isEmpty)
    #expect(try fixture.run(["salvage", "--format", "json", "tree.rsta"]).text.contains("\"code\": \"tree-damaged\""))
  }
}
