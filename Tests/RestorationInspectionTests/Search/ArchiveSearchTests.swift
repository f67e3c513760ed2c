import CorpusKit
import Foundation
import RestorationArchive
@testable import RestorationInspection
import TestStage
import Testing

/// The search for values, keys and identifiers.
@Suite struct ArchiveSearchTests {
  private static let tree = ArchiveTree(
    applicationState: [
      "theme": "dark", "numbers": [1, 2.5, true], "when": .date(Date(timeIntervalSinceReferenceDate: 0)), "front": .reference("root/list"),
    ],
    nodes: [
      ArchiveNode(
        "root", type: "Window", state: ["history": [["title": "one dark night"], ["title": "two"]], "a.b": ["dark": 1]],
        children: [ArchiveNode("list", type: "List"), ArchiveNode("dark\nroom")])
    ])

  private static func lines(
    _ text: String, in tree: ArchiveTree = tree, _ change: (inout ArchiveSearch.Options) -> Void = { _ in }
  ) throws -> [String] {
    var options = ArchiveSearch.Options(pattern: try TextPattern(text))
    change(&options)
    var search = ArchiveSearch(try ArchiveReader(inspecting: [UInt8](tree.encoded())), options)
    var output = ""
    search.write(to: &output)
    #expect(search.isThere && search.errors.isEmpty)
    return output.split(separator: "\n").map(String.init)
  }

  @Test("values, keys and identifiers are found, in the order of the tree, one line each")
  func finds() throws {
    #expect(
      try Self.lines("dark") == [
        "(application) theme: \"dark\"", "root \"a.b\".dark: 1", "root history[0].title: \"one dark night\"", "root/dark\\u{a}room",
      ])
    #expect(try Self.lines("/^(true|2\\.5)$/") == ["(application) numbers[1]: 2.5", "(application) numbers[2]: true"])
    #expect(try Self.lines("2001-01-01") == ["(application) when: 2001-01-01T00:00:00Z"])
    #expect(try Self.lines("root/list") == ["(application) front: -> root/list"])
    #expect(try Self.lines("hist") == ["root history: array of 2"])
    #expect(try Self.lines("list") == ["(application) front: -> root/list", "root/list  List"])
    #expect(try Self.lines("nothing of that").isEmpty)
  }

  @Test("a key and a path limit the search")
  func limits() throws {
    #expect(try Self.lines("dark") { $0.key = "history" } == ["root history[0].title: \"one dark night\""])
    #expect(try Self.lines("dark") { $0.key = "title" } == ["root history[0].title: \"one dark night\""])
    #expect(try Self.lines("/./") { $0.key = "b" }.isEmpty)
    #expect(try Self.lines("dark") { $0.path = "root/dark\nroom" } == ["root/dark\\u{a}room"])
    var search = ArchiveSearch(
      try ArchiveReader(inspecting: [UInt8](Self.tree.encoded())),
      {
        var options = ArchiveSearch.Options(pattern: $0)
        options.path = "nowhere"
        return options
      }(try TextPattern("a")))
    search.visitHits { _ in }
    #expect(!search.isThere)
  }

  @Test("a sensitive value is not matched, and nothing inside one; its key is")
  func masks() throws {
    let tree = ArchiveTree(
      applicationState: ArchiveDictionary([
        ArchiveDictionary.Entry(key: "token", value: "tokens of love", isSensitive: true),
        ArchiveDictionary.Entry(key: "outer", value: ["token": "inner token"], isSensitive: true),
      ]))
    #expect(try Self.lines("token", in: tree) == ["(application) token: <sensitive>"])
    #expect(try Self.lines("love", in: tree).isEmpty && Self.lines("/./", in: tree) { $0.key = "token" }.isEmpty)
    let all = ["(application) outer.token: \"inner token\"", "(application) token: \"tokens of love\""]
    #expect(try Self.lines("token", in: tree) { $0.sensitive = .reveal } == all)
  }

  @Test("of a long text the part around the match is shown")
  func shortens() throws {
    let long = String(repeating: "x", count: 500) + "needle" + String(repeating: "y", count: 500)
    let line = try #require(try Self.lines("needle", in: ArchiveTree(applicationState: ["t": .string(long)])).first)
    #expect(line == "(application) t: \"…\(String(repeating: "x", count: 40))needle\(String(repeating: "y", count: 114))…\"")
  }

  @Test(
    "the path and the place of every match lead to its value",
    arguments: TestStage.every(5, of: try Corpus.files { $0.path.hasPrefix("valid/") }))
  func leadsToValues(_ file: CorpusFile) throws {
    guard let archive = try? ArchiveReader(inspecting: file.bytes) else { return }
    var options = ArchiveSearch.Options(pattern: try TextPattern("/.*/"))
    options.sensitive = .reveal
    var search = ArchiveSearch(archive, options)
    var checked = 0
    search.visitHits { hit in
      guard checked < 300, hit.part == .value, let value = hit.value, let state = try? hit.node.state() else { return }
      checked += 1
      let words = ValueChange.text(of: hit.place)
      let keys = ValuePath.keys([words], in: state, sensitive: .reveal)
      guard case .success(let entry) = ValuePath.entry(keys[...], in: state, sensitive: .reveal) else {
        Issue.record("\(hit.node.path) \(words)")
        return
      }
      #expect(entry.value.displayText == value.displayText, "\(hit.node.path) \(words)")
    }
  }

  /// A property list with some references to one data object that is such a list too.
  private static func list(_ levels: Int, _ count: Int) -> [UInt8] {
    var list = Array("bplist00".utf8)
    var offsets: [Int] = []
    func add(_ bytes: [UInt8]) {
      offsets.append(list.count)
      list += bytes
    }
    add([0xD1, 1, 2])
    add([0x51, UInt8(ascii: "k")])
    if levels == 0 {
      add([0x51, UInt8(ascii: "v")])
    } else {
      let inner = self.list(levels - 1, count)
      add([0xAF, 0x10, UInt8(count)] + [UInt8](repeating: 3, count: count))
      add([0x4F, 0x11, UInt8(inner.count >> 8), UInt8(inner.count & 255)] + inner)
    }
    let table = list.count
    for offset in offsets { list += [UInt8(offset >> 8), UInt8(offset & 255)] }
    list += [0, 0, 0, 0, 0, 0, 2, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(offsets.count)] + [UInt8](repeating: 0, count: 8)
    return list + [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 255)]
  }

  @Test("of lists within lists that share their data, as many are searched as the archive is long")
  func searchesSharedLists() throws {
    let tree = ArchiveTree(applicationState: ["data": .data(Data(Self.list(4, 16)))])
    var search = ArchiveSearch(try ArchiveReader(inspecting: [UInt8](tree.encoded())), ArchiveSearch.Options(pattern: try TextPattern("k")))
    search.visitHits { _ in }
    // There would be 4,369 lists, each with this key.
    #expect((4..<1000).contains(search.hitCount), "\(search.hitCount)")
  }
}
