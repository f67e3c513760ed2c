import CorpusKit
import Foundation
import KeyedArchiveKit
import ProcessKit
import RestorationArchive

/// A folder with valid, damaged and strange files, in which the tool runs.
struct ToolFixture {
  /// The folder.
  let folder: TemporaryFolder

  /// Creates the folder.
  init() throws {
    folder = try TemporaryFolder()
    let notes = try Corpus.bytes(of: "valid/apps/notes.rsta")
    try write(notes, "notes.rsta")
    try write(try Corpus.bytes(of: "valid/apps/kiosk.rsta"), "kiosk.rsta")
    try write(Array(try Corpus.bytes(of: "valid/apps/kiosk.rsta").reversed()), "backwards.rsta")
    try write(Array(notes.prefix(3000)), "cut.rsta")
    try write(notes + [0], "grown.rsta")
    try write(try Corpus.bytes(of: "damaged/block-of-states.hex"), "damaged.rsta")
    try write(try Corpus.bytes(of: "damaged/front-prefix-bit.hex"), "front.rsta")
    try write(try Corpus.bytes(of: "forward/major-version-2.hex"), "later.rsta")
    try write(try Corpus.bytes(of: "invalid/6.4-nodes/sibling-twice.hex"), "duplicate.rsta")
    try write(try Corpus.bytes(of: "invalid/4.3-metadata/unused-key.hex"), "faulty.rsta")
    try write([UInt8](try Self.absurd().encoded()), "absurd.rsta")
    try write([], "empty.rsta")
    try write([0x89], "byte.rsta")
    try write([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 7, count: 500), "picture.png")
    try write(Self.transferredAsText(notes), "text-mode.rsta")
    try write(Array("Dear diary,\n".utf8), "letter.txt")
    try write([UInt8](Self.small.json()), "small.json")
    try write([UInt8](try Self.small.encoded()), "small.rsta")
    try write([UInt8](Self.edited(Self.small).json()), "edited.json")
    try write([UInt8](Self.edited(ArchiveTree(decoding: ArchiveReader(notes))).encoded()), "edited.rsta")
    try write(Array("# limits\n(archive): 2 KiB\nmain/**: 100\n".utf8), "budget.txt")
    try write(Array("{\"restorationArchive\": 1, \"nodes\": [}".utf8), "broken.json")
    try writeAppleFiles()
    try writeChains()
  }

  /// Writes property lists, keyed archives and state archives of UIKit and AppKit.
  private func writeAppleFiles() throws {
    for fixture in AppleFixture.all {
      switch fixture.name {
      case "uikit/valid/every-key": try write(fixture.bytes, "uikit.data")
      case "uikit/valid/unreadable-object": try write(fixture.bytes, "part.data")
      case "keyed-archives/valid/circle": try write(fixture.bytes, "circle.plist")
      case "keyed-archives/valid/shared-small-objects": try write(fixture.bytes, "copies.plist")
      case "xml-lists/valid/all-kinds": try write(fixture.bytes, "xml.plist")
      case "property-lists/valid/shared-objects": try write(fixture.bytes, "shared.plist")
      case "property-lists/hostile/self-reference": try write(fixture.bytes, "hostile.plist")
      case "appkit/valid/every-part":
        try FileManager.default.createDirectory(at: folder.url("notes.savedState"), withIntermediateDirectories: true)
        try write(fixture.bytes, "notes.savedState/data.data")
        try write(fixture.windows ?? [], "notes.savedState/windows.plist")
        try write(fixture.bytes, "alone.data")
      default: break
      }
    }
  }

  /// Writes a chain with two links, one whose base is elsewhere, and two links that name each other.
  private func writeChains() throws {
    for name in ["chain", "lost", "circle"] {
      try FileManager.default.createDirectory(at: folder.url(name), withIntermediateDirectories: true)
    }
    for (name, file) in [
      ("chain/1.rsta", "base"), ("chain/2.rsta", "removed"), ("chain/3.rsta", "recreated"), ("chain/changed.rsta", "changed-result"),
      ("lost/3.rsta", "recreated"), ("circle/1.rsta", "pair-1"), ("circle/2.rsta", "pair-2"),
    ] {
      try write(try Corpus.bytes(of: "links/\(file).hex"), name)
    }
  }

  private func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: folder.url(name))
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

  /// The sorted names of the files in a subfolder.
  func names(in part: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url(part).path).sorted()
  }

  /// Runs the tool in the folder.
  func run(
    _ arguments: [String], input: Data = Data(), standardInput: String? = nil, environment: [String: String] = [:],
    limit: TimeInterval? = nil
  ) throws -> TestProcess.Result {
    try TestProcess.run(
      "restoration", arguments, in: folder.root, input: input, standardInput: standardInput, environment: environment, limit: limit)
  }
}
