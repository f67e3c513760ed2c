import CorpusKit
import Foundation
import KeyedArchive
import KeyedArchiveKit
import RestorationArchive
import Testing

/// The keyed archives of the corpus, for the class of their converters (Spec chapter 13).
@Suite struct LayoutCorpusTests {
  private static let fixtures = AppleFixture.all.filter { $0.name.hasPrefix("keyed-archives/") }

  @Test("each keyed archive of the corpus has its outcome (R-13-9, R-K4-2, R-K4-4, R-K4-5, R-K4-6)", arguments: fixtures)
  func isAsExpected(_ fixture: AppleFixture) throws {
    let file = try #require(try AppleCorpusFile.files().first { $0.path == "apple/\(fixture.name)" })
    do throws(KeyedArchiveError) {
      let imported = try ImportedArchive(decoding: file.bytes)
      let losses = imported.notes.count(where: \.isLoss)
      #expect(fixture.outcome == .valid(imported.source.rawValue, losses: losses), "\(imported.notes)")
      #expect(String(decoding: imported.tree.json(), as: UTF8.self) == file.json)
    } catch {
      guard case .refused(let code, _) = fixture.outcome else {
        Issue.record("\(error)")
        return
      }
      #expect(error.code.rawValue == code)
    }
  }

  @Test("a restoration archive that was read as a keyed archive is written as one that reads back (R-13-9, R-K4-1)", arguments: fixtures)
  func isWrittenAgain(_ fixture: AppleFixture) throws {
    guard case .valid("keyed-restoration-archive", _) = fixture.outcome else { return }
    let tree = try ImportedArchive(decoding: fixture.bytes).tree
    #expect(try ImportedArchive(decoding: [UInt8](tree.keyedArchive())).tree == tree)
  }
}
