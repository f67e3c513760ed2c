import CorpusKit
import Foundation
import KeyedArchiveKit
import ProcessKit
import RestorationArchive

/// A folder with valid, damaged and strange files, in which the tool runs.
struct ToolFixture {
  /// The folder.
  let folder: TemporaryFolder

  /// The files by name; made once, because the corpus has most of them as text.
  private static let files = Result { try makeFiles() }

  /// Creates the folder and its files.
  init() throws {
    folder = try TemporaryFolder()
    for (name, bytes) in try Self.files.get() {
      if let slash = name.lastIndex(of: "/") {
        try FileManager.default.createDirectory(at: folder.url(String(name[..<slash])), withIntermediateDirectories: true)
      }
      try Data(bytes).write(to: folder.url(name))
    }
  }

  private static func makeFiles() throws -> [(name: String, bytes: [UInt8])] {
    let notes = try Corpus.bytes(of: "valid/apps/notes.rsta")
    let kiosk = try Corpus.bytes(of: "valid/apps/kiosk.rsta")
    let files: [(name: String, bytes: [UInt8])] = [
      ("notes.rsta", notes),
      ("kiosk.rsta", kiosk),
      ("backwards.rsta", Array(kiosk.reversed())),
      ("cut.rsta", Array(notes.prefix(3000))),
      ("grown.rsta", notes + [0]),
      ("damaged.rsta", try Corpus.bytes(of: "damaged/block-of-states.hex")),
      ("front.rsta", try Corpus.bytes(of: "damaged/front-prefix-bit.hex")),
      ("later.rsta", try Corpus.bytes(of: "forward/major-version-2.hex")),
      ("duplicate.rsta", try Corpus.bytes(of: "invalid/6.4-nodes/sibling-twice.hex")),
      ("faulty.rsta", try Corpus.bytes(of: "invalid/4.3-metadata/unused-key.hex")),
      ("absurd.rsta", try [UInt8](absurd().encoded())),
      ("empty.rsta", []),
      ("byte.rsta", [0x89]),
      ("picture.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 500)),
      ("text-mode.rsta", transferredAsText(notes)),
      ("letter.txt", Array("Dear diary,\n".utf8)),
      ("small.json", [UInt8](small.json())),
      ("small.rsta", try [UInt8](small.encoded())),
      ("edited.json", [UInt8](edited(small).json())),
      ("edited.rsta", try [UInt8](edited(ArchiveTree(decoding: ArchiveReader(notes))).encoded())),
      ("budget.txt", Array("# limits\n(archive): 2 KiB\nmain/**: 100\n".utf8)),
      ("broken.json", Array("{\"restorationArchive\": 1, \"nodes\": [}".utf8)),
    ]
    return files + appleFiles() + (try chainFiles())
  }

  /// Property lists, keyed archives and state archives of UIKit and AppKit.
  private static func appleFiles() -> [(name: String, bytes: [UInt8])] {
    AppleFixture.all.flatMap { fixture -> [(name: String, bytes: [UInt8])] in
      switch fixture.name {
      case "uikit/valid/every-key": [("uikit.data", fixture.bytes)]
      case "uikit/valid/unreadable-object": [("part.data", fixture.bytes)]
      case "keyed-archives/valid/circle": [("circle.plist", fixture.bytes)]
      case "keyed-archives/valid/shared-small-objects": [("copies.plist", fixture.bytes)]
      case "xml-lists/valid/all-kinds": [("xml.plist", fixture.bytes)]
      case "property-lists/valid/shared-objects": [("shared.plist", fixture.bytes)]
      case "property-lists/hostile/self-reference": [("hostile.plist", fixture.bytes)]
      case "appkit/valid/every-part":
        [
          ("notes.savedState/data.data", fixture.bytes), ("notes.savedState/windows.plist", fixture.windows ?? []),
          ("alone.data", fixture.bytes),
        ]
      default: []
      }
    }
  }

  /// A chain with two links, one whose base is elsewhere, and two links that name each other.
  private static func chainFiles() throws -> [(name: String, bytes: [UInt8])] {
    try [
      ("chain/1.rsta", "base"), ("chain/2.rsta", "removed"), ("chain/3.rsta", "recreated"), ("chain/changed.rsta", "changed-result"),
      ("lost/3.rsta", "recreated"), ("circle/1.rsta", "pair-1"), ("circle/2.rsta", "pair-2"),
    ].map { ($0.0, try Corpus.bytes(of: "links/\($0.1).hex")) }
  }

  /// An archive with a short JSON form.
  static let small = ArchiveTree(
    header: ArchiveHeader(bundleVersion: "42"), applicationState: ["theme": "dark"],
    nodes: [
      ArchiveNode(
        "root", type: "Window", schemaVersion: 2, state: ["icon": .data(Data([0, 1, 2, 255])), "zoom": 1.5],
        children: [ArchiveNode("search-results-by-date")])
    ])

  /// Returns an archive as its app may save it next: values and order changed, a node added, another renamed.
  static func edited(_ tree: ArchiveTree) -> ArchiveTree {
    var tree = tree
    tree.header.timestamp = Date(timeIntervalSinceReferenceDate: 800_000_000)
    tree.applicationState["theme"] = "light"
    tree.applicationState["text"] = .string("one\ntwo\nthree")
    tree.nodes[0].state["icon"] = .data(Data([0, 1, 7, 7, 255]))
    tree.nodes.insert(ArchiveNode("new", type: "Panel", state: ["width": 120, "open": true]), at: 0)
    let last = tree.nodes.count - 1
    tree.nodes[last].children.reverse()
    tree.nodes[last].identifier += " 2"
    return tree
  }

  /// Changes line endings, as a transfer in text mode does.
  private static func transferredAsText(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if byte == 0x0D, index + 1 < bytes.count, bytes[index + 1] == 0x0A { continue }
      result.append(byte)
    }
    return result
  }

  /// Names and values that a terminal would interpret.
  private static func absurd() -> ArchiveTree {
    ArchiveTree(
      header: ArchiveHeader(additional: ["x.\u{1B}[31m": "\u{202E}drow"]),
      applicationState: ["\u{7}bell": "line\nbreak"],
      nodes: [
        ArchiveNode("a/b~c", type: "\u{1B}]0;title\u{7}", state: ["when": .date(Date(timeIntervalSinceReferenceDate: .nan))]),
        ArchiveNode("\u{200F}right", state: ["far": .date(Date(timeIntervalSinceReferenceDate: 1e300)), "odd": .float(.nan)]),
        ArchiveNode("\u{1F469}\u{200D}\u{1F680} \u{1F469}\u{200D}\u{1F680}", children: [ArchiveNode(" ", children: [ArchiveNode("*")])]),
      ])
  }

  /// The verbs, from the help of the tool.
  static func verbs() throws -> [String] {
    let help = try TestProcess.run("restoration", ["--help"]).text
    let list = help.components(separatedBy: "VERBS:\n").last?.components(separatedBy: "\n\n").first ?? ""
    return list.split(separator: "\n").compactMap { $0.split(separator: " ").first.map(String.init) }
  }

  /// The sorted names of the files in a subfolder.
  func names(in part: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url(part).path).sorted()
  }

  /// Runs the tool in the folder.
  func run(
    _ arguments: [String], input: Data = Data(), standardInput: String? = nil, environment: [String: String] = [:],
    limit: TimeInterval = TimeLimit.usual
  ) throws -> TestProcess.Result {
    try TestProcess.run(
      "restoration", arguments, in: folder.root, input: input, standardInput: standardInput, environment: environment, limit: limit)
  }
}
