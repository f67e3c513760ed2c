import CorpusKit
import Foundation
import ProcessKit
import PropertyKit
import RestorationArchive
import Testing

/// Behaviours 69: no verb of the tool shows an archived value unless requested, neither in output nor in errors.
@Suite struct PrintedValuesTests {
  /// Commands that request no value: on intact, cut and damaged files, in text and JSON.
  static let asksForNone: [[String]] = [
    ["info"], ["info", "--format", "json"], ["tree", "--sizes"], ["tree", "--format", "json"], ["check"], ["check", "--format", "json"],
    ["resolve", "-r", "type:None"], ["resolve", "--format", "json"], ["salvage"], ["salvage", "--format", "json"],
    ["get", "FILE", "main", "noSuchKey"], ["get", "FILE", "main/noSuchNode"], ["get", "FILE", "main//x"],
    ["convert", "--to", "letter"], ["dump", "--format", "none"], ["info", "--reveal"],
  ]

  /// Commands that request values that are all sensitive, without revealing them.
  static let asksForHidden: [[String]] = [
    ["tree", "--state"], ["tree", "--state", "--format", "json"], ["get", "FILE", ""], ["get", "FILE", "", "--format", "json"],
    ["dump"], ["dump", "--format", "json"], ["convert"], ["convert", "--redact"], ["report"],
  ]

  /// A folder with an archive of markers: intact, cut, damaged, and as a generation of a store.
  private static func fixture(isSensitive: Bool) throws -> ToolFixture {
    let fixture = try ToolFixture()
    let notes = try ArchiveTree(decoding: ArchiveReader(Corpus.bytes(of: "valid/apps/notes.rsta")))
    let bytes = try MarkedArchive.marked(notes, isSensitive: isSensitive).encoded()
    try bytes.write(to: fixture.folder.url("marked.rsta"))
    try bytes.prefix(bytes.count * 2 / 3).write(to: fixture.folder.url("marked-cut.rsta"))
    var damaged = bytes
    damaged[damaged.startIndex + bytes.count / 2] ^= 0x10
    try damaged.write(to: fixture.folder.url("marked-damaged.rsta"))
    try FileManager.default.createDirectory(at: fixture.folder.url("store"), withIntermediateDirectories: true)
    for (number, data) in [bytes, damaged, bytes.prefix(3000)].enumerated() {
      try data.write(to: fixture.folder.url("store/application.000000000\(number + 1).rsta"))
    }
    return fixture
  }

  private static func check(_ fixture: ToolFixture, _ commands: [[String]]) throws {
    for file in ["marked.rsta", "marked-cut.rsta", "marked-damaged.rsta"] {
      for command in commands {
        let arguments = command.contains("FILE") ? command.map { $0 == "FILE" ? file : $0 } : command + [file]
        let result = try fixture.run(arguments)
        #expect(!result.wasKilled, "\(arguments)")
        for text in [result.text, result.error] {
          if let sign = MarkedArchive.sign(in: text) { Issue.record("\(arguments) shows \(sign)") }
        }
      }
    }
  }

  @Test func showsNoneUnlessAsked() throws {
    let fixture = try Self.fixture(isSensitive: false)
    try Self.check(fixture, Self.asksForNone)
    for arguments in [["store", "store"], ["store", "--format", "json", "store"], ["store", "--use", "1", "store"]] {
      let result = try fixture.run(arguments)
      #expect(MarkedArchive.sign(in: result.text + result.error) == nil, "\(arguments)")
    }
  }

  @Test func hidesSensitiveValues() throws {
    try Self.check(Self.fixture(isSensitive: true), Self.asksForHidden)
  }

  @Test("commands that request values show the markers")
  func findsMarkers() throws {
    let fixture = try Self.fixture(isSensitive: false)
    for command in [["tree", "--state"], ["get", "FILE", ""], ["dump", "--reveal"], ["convert", "--reveal"]] {
      let arguments = command.contains("FILE") ? command.map { $0 == "FILE" ? "marked.rsta" : $0 } : command + ["marked.rsta"]
      #expect(try MarkedArchive.sign(in: fixture.run(arguments).text) != nil, "\(command)")
    }
  }
}
