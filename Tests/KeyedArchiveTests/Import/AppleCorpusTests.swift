import CorpusKit
import Foundation
import KeyedArchive
import KeyedArchiveKit
import RestorationArchive
import TestStage
import Testing

/// The fixtures of `Corpus/apple`.
///
/// `BLESS=1` rewrites them, and the JSON form of what they are imported as.
@Suite struct AppleCorpusTests {
  private static let isBlessing = ProcessInfo.processInfo.environment["BLESS"] == "1"

  /// The files by their path; written before they are read if the tests bless.
  private static let files = Result {
    if isBlessing {
      for fixture in AppleFixture.all {
        try fixture.write()
        if fixture.isSalvaged { try Corpus.write(salvaged(fixture), to: "apple/\(fixture.name).salvage.json") }
        guard case .valid = fixture.outcome else { continue }
        try Corpus.write([UInt8](imported(fixture.bytes, fixture.windows).tree.json()), to: "apple/\(fixture.name).json")
      }
    }
    return Dictionary(uniqueKeysWithValues: try AppleCorpusFile.files().map { ($0.path, $0) })
  }

  @Test("the files are those of the table", arguments: AppleFixture.all)
  func isGenerated(_ fixture: AppleFixture) throws {
    let file = try #require(try Self.files.get()["apple/\(fixture.name)"])
    #expect(file.bytes == fixture.bytes)
    #expect(file.windows == fixture.windows)
    #expect(file.expectation == fixture.expectation)
  }

  @Test("the folder has no other files")
  func isComplete() throws {
    #expect(try Self.files.get().keys.sorted() == AppleFixture.all.map { "apple/\($0.name)" }.sorted())
  }

  private static func imported(
    _ bytes: [UInt8], _ windows: [UInt8]?, strict: Bool = false
  ) throws(KeyedArchiveError) -> ImportedArchive {
    if let windows { return try ImportedArchive(windows: windows, data: bytes, tolerance: strict ? .strict : .oddities) }
    return try ImportedArchive(decoding: bytes, tolerance: strict ? .strict : .oddities)
  }

  @Test(
    "each file has its outcome, and each valid one its content (R-13-9, R-K2-1, R-K2-2, R-K2-4, R-K2-5, R-K4-2, R-K4-4, R-K4-5, R-K4-6)",
    arguments: AppleFixture.all)
  func isAsExpected(_ fixture: AppleFixture) throws {
    do throws(KeyedArchiveError) {
      let imported = try Self.imported(fixture.bytes, fixture.windows)
      let losses = imported.notes.count(where: \.isLoss)
      #expect(fixture.outcome == .valid(imported.source.rawValue, losses: losses), "\(imported.notes)")
      let file = try? Self.files.get()["apple/\(fixture.name)"]
      #expect(String(decoding: imported.tree.json(), as: UTF8.self) == file?.json)
      #expect((try? imported.tree.encoded()) != nil)
    } catch {
      guard case .refused(let code, let offset) = fixture.outcome else {
        Issue.record(error)
        return
      }
      #expect(error.code.rawValue == code, "\(error)")
      if let offset { #expect(error.offset == offset, "\(error)") }
    }
  }

  private static func salvaged(_ fixture: AppleFixture) throws(KeyedArchiveError) -> [UInt8] {
    [UInt8](try ImportedArchive(decoding: fixture.bytes, tolerance: .salvage).tree.json())
  }

  @Test("of a damaged file, a salvage keeps what the file beside it has", arguments: AppleFixture.all.filter(\.isSalvaged))
  func isSalvaged(_ fixture: AppleFixture) throws {
    let file = try #require(try Self.files.get()["apple/\(fixture.name)"])
    #expect(try String(decoding: Self.salvaged(fixture), as: UTF8.self) == file.salvage)
  }

  @Test("what has an oddity is read with a note that names its place, and a strict reader refuses it (R-K2-6)", arguments: AppleFixture.all)
  func notesOddities(_ fixture: AppleFixture) throws {
    guard case .valid = fixture.outcome else { return }
    let notes = try Self.imported(fixture.bytes, fixture.windows).notes
    guard let oddity = fixture.oddity else {
      #expect(!notes.contains { $0.kind == .oddity })
      #expect(try Self.imported(fixture.bytes, fixture.windows, strict: true).notes == notes)
      return
    }
    let error = try #require(throws: KeyedArchiveError.self) { try Self.imported(fixture.bytes, fixture.windows, strict: true) }
    #expect(error.code.rawValue == oddity.code)
    if let offset = oddity.offset { #expect(error.offset == offset) }
    #expect(notes.contains { $0.kind != .remark && $0.text.contains("\(error);") }, "\(notes)")
  }

  @Test("every prefix and every changed bit of a small file ends with a value or an error", arguments: AppleFixture.all)
  func survivesDamage(_ fixture: AppleFixture) throws {
    guard fixture.bytes.count <= 700, fixture.windows == nil else { return }
    for count in TestStage.every(29, of: 0..<fixture.bytes.count) { try check(Array(fixture.bytes.prefix(count))) }
    for bit in TestStage.every(97, of: 0..<(fixture.bytes.count * 8)) {
      var changed = fixture.bytes
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      try check(changed)
    }
  }

  private func check(_ bytes: [UInt8]) throws {
    for property in KeyedArchiveProperty.allCases { try property.check(bytes) }
  }
}
