import CorpusKit
import Foundation
import KeyedArchive
import KeyedArchiveKit
import Testing

#if !canImport(ObjectiveC)
  /// What Foundation, this package, and its strict reader make of each property list of the corpus, as a table.
  ///
  /// Foundation's answers are those of `PropertyListSerialization` of swift-corelibs-foundation, whose parser is the
  /// published CoreFoundation. `BLESS=1` rewrites the table.
  @Suite struct FoundationTableTests {
    static let fixtures = AppleFixture.all.filter { fixture in
      ["property-lists/", "xml-lists/", "old-lists/", "other-formats/"].contains { fixture.name.hasPrefix($0) }
    }

    /// The files for which Foundation on Linux ends the process: it cannot make a set, or expands what is shared.
    static let endsFoundation: Set = ["property-lists/valid/all-kinds", "property-lists/hostile/exponential-sharing"]

    @Test("what is read alike has no oddity, and every oddity is something that Foundation reads or half of something (R-K2-6)")
    func oddityIsRead() throws {
      for fixture in Self.fixtures where fixture.oddity != nil {
        let answer = Self.foundation(fixture.bytes)
        // Half of a code unit sequence in UTF-16 text costs the whole file there, and a strange padding all of the data.
        let isBetterHere = ["xml-lists/odd/utf-16-lone-surrogate"].contains(fixture.name)
        #expect((answer != .refused) != isBetterHere, "\(fixture.name)")
      }
    }

    @Test("Foundation ends the process for these files", arguments: endsFoundation.sorted())
    func endsProcess(_ name: String) async throws {
      guard name != "property-lists/hostile/exponential-sharing" else { return }
      await #expect(processExitsWith: .failure) { [name] in
        guard let fixture = AppleFixture.all.first(where: { $0.name == name }) else { return }
        _ = FoundationTableTests.foundation(fixture.bytes)
      }
    }

    @Test("the table is that of the files")
    func tableIsCurrent() throws {
      var rows: [String] = []
      for fixture in Self.fixtures {
        let list = try? PropertyList(decoding: fixture.bytes)
        let foundation =
          Self.endsFoundation.contains(fixture.name) ? "ends the process" : Self.words(Self.foundation(fixture.bytes), list, fixture)
        let strict = (try? PropertyList(decoding: fixture.bytes, tolerance: .strict)) == nil ? "refused" : "read"
        let ours = list.map { $0.oddities.isEmpty ? "read" : "read, with a note" } ?? "refused"
        rows.append("| `\(fixture.name)` | \(foundation) | \(ours) | \(strict) |")
      }
      let table = "| file | Foundation | here | strict |\n|---|---|---|---|\n\(rows.joined(separator: "\n"))\n"
      let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Corpus/apple/Foundation.md").standardized
      let text = try String(contentsOf: url, encoding: .utf8)
      let start = try #require(text.range(of: "| file | Foundation | here | strict |"))
      let updated = text[..<start.lowerBound] + table
      if ProcessInfo.processInfo.environment["BLESS"] == "1" {
        try updated.write(to: url, atomically: true, encoding: .utf8)
      } else {
        #expect(text == updated)
      }
    }

    /// The answer of Foundation.
    enum Answer: Equatable {
      case refused
      case list(PlainPropertyList)
      /// A list with something that this test cannot look into: a UID.
      case opaque
    }

    static func foundation(_ bytes: [UInt8]) -> Answer {
      guard let object = try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), options: [], format: nil) else {
        return .refused
      }
      return (try? FoundationForm.plain(object)).map { .list($0) } ?? .opaque
    }

    private static func words(_ answer: Answer, _ list: PropertyList?, _ fixture: AppleFixture) -> String {
      switch answer {
      case .refused: return "refused"
      case .opaque: return "read (with objects that cannot be compared)"
      case .list(let theirs):
        guard let list, fixture.bytes.count < 20_000 else { return "read" }
        let ours = list.plain()
        if ours.withKeysOnce(.first).sorted == theirs.sorted {
          return ours.withKeysOnce(.last).sorted == theirs.sorted ? "read" : "read, with the first of equal keys"
        }
        return ours.withKeysOnce(.last).sorted == theirs.sorted ? "read, with the last of equal keys" : "read as something else"
      }
    }
  }

  extension PlainPropertyList {
    enum Choice { case first, last }

    /// The list with one entry for each key, and with the numbers of Foundation: integers of 64 bits.
    func withKeysOnce(_ choice: Choice) -> PlainPropertyList {
      switch self {
      case .array(let elements): return .array(elements.map { $0.withKeysOnce(choice) })
      case .dictionary(let entries):
        var kept: [PlainEntry] = []
        for entry in choice == .first ? entries : entries.reversed() where !kept.contains(where: { $0.key == entry.key }) {
          kept.append(PlainEntry(key: entry.key, value: entry.value.withKeysOnce(choice)))
        }
        return .dictionary(kept)
      default: return self
      }
    }
  }
#endif
