import Foundation
import KeyedArchive
import KeyedArchiveKit
import RestorationArchive
import Testing

/// AppKit's saved states, by the facts.
@Suite struct SavedStateTests {
  private static func fixture(_ name: String) throws -> AppleFixture {
    try #require(AppleFixture.all.first { $0.name == "appkit/valid/\(name)" })
  }

  @Test("records of both versions, all chunks, superseded records and those of closed windows (R-K5-5, R-K5-7)")
  func readsRecords() throws {
    let fixture = try Self.fixture("every-part")
    let windows = try #require(fixture.windows)
    let state = try SavedState(windows: windows, data: fixture.bytes)
    #expect(state.recordCount == 5)
    #expect(state.supersededCount == 1)
    #expect(state.keylessCount == 1)
    #expect(state.undecipherable.isEmpty && state.fault == nil)
    let imported = try ImportedArchive(windows: windows, data: fixture.bytes)
    let tree = imported.tree
    #expect(tree.header.bundleVersion == "1234" && tree.header.systemVersion == "11.7.10" && tree.header.userInterfaceIdiom == .mac)
    #expect(tree.nodes.map(\.identifier) == ["3", "4294967295", "1"])
    #expect(tree.nodes.map(\.type) == ["NSWindow", "NSApplication", "NSMainMenuBar"])
    #expect(tree.nodes[0].state["NSTitle"] == "Draft")
    let window = try #require(tree.nodes[0].children.first { $0.identifier == "_NSWindow" })
    #expect(window.state["NSTitle"] == "Draft" && window.state["NSStyleMask"] == 15 && window.state["NSIsKey"] == true)
    #expect(window.attributes["appkit.kyds"] == ["depth": 2])
    #expect(window.attributes["appkit.surl"] == ["root": [.data(Data([1, 2, 3]))]])
    let view = try #require(tree.nodes[0].children.first { $0.identifier == "NSTextView" })
    #expect(view.state["responder"] == .reference("3/_NSWindow"))
    #expect(tree.nodes[2].children.first?.attributes["appkit.flags"] == 2)
    #expect(imported.notes.allSatisfy { !$0.isLoss } && imported.notes.count == 2)
  }

  @Test("a record that does not fit its key, and one that is cut off, cost themselves only (R-K5-6)")
  func containsFaults() throws {
    let wrong = try Self.fixture("wrong-key")
    #expect(try SavedState(windows: wrong.windows ?? [], data: wrong.bytes).undecipherable == [0])
    let cut = try Self.fixture("record-cut-off")
    let state = try SavedState(windows: cut.windows ?? [], data: cut.bytes)
    #expect(state.recordCount == 1 && state.fault?.code == .stateRecord)
    #expect(try ImportedArchive(windows: cut.windows ?? [], data: cut.bytes).tree.nodes[0].children.map(\.identifier) == ["a"])
  }

  @Test("what a record's graph has lost is noted (R-K2-8)")
  func notesLosses() throws {
    var archive = RawKeyedArchive()
    archive.top = [("lost", .uid(99)), ("kept", .integer(1))]
    var state = RawSavedState()
    state.addWindow(3)
    state.addRecord(3, "a", [("rchv", archive.bytes)])
    let imported = try ImportedArchive(windows: state.windowList, data: state.log, tolerance: .salvage)
    #expect(imported.tree.nodes[0].children.first?.state["kept"] == 1)
    #expect(imported.notes.map(\.path) == ["3/a"] && imported.notes.allSatisfy(\.isLoss))
  }

  @Test("many chunks that cannot be read are kept, and noted together after the first ones (R-K5-6)")
  func bundlesNotes() throws {
    var state = RawSavedState()
    state.addWindow(3)
    for identifier in ["a", "b"] { state.addRecord(3, identifier, Array(repeating: ("none", [UInt8]()), count: 80)) }
    let imported = try ImportedArchive(windows: state.windowList, data: state.log)
    #expect(imported.tree.nodes[0].children.map(\.attributes.count) == [80, 80])
    #expect(imported.notes.count == 101 && imported.notes.last?.text == "and 60 more parts kept as bytes")
    let limits = ImportLimits(objects: 300)
    let error = #expect(throws: KeyedArchiveError.self) {
      try ImportedArchive(windows: state.windowList, data: state.log, limits: limits)
    }
    #expect(error?.code == .countLimit)
  }

  @Test("a plaintext is filled up to whole blocks with 0 to 15 zeros", arguments: 0..<16)
  func readsEveryFilling(_ count: Int) throws {
    let identifier = String(repeating: "i", count: 8 + count)
    var state = RawSavedState()
    state.addWindow(3)
    state.addRecord(3, identifier, [("kyds", RawPropertyList(.object([])).bytes)])
    let read = try SavedState(windows: state.windowList, data: state.log)
    #expect(read.recordCount == 1 && read.undecipherable.isEmpty && read.fault == nil)
    let tree = try ImportedArchive(windows: state.windowList, data: state.log).tree
    #expect(tree.nodes[0].children.map(\.identifier) == [identifier])
  }

  @Test(
    "the faults of a record's header", arguments: [(0, "NSCX"), (4, "2000"), (12, "\u{0}\u{0}\u{0}\u{8}"), (12, "\u{0}\u{0}\u{0}\u{11}")])
  func refusesHeaders(_ place: Int, _ text: String) throws {
    var state = RawSavedState()
    state.addWindow(3)
    state.addRecord(3, "a", [])
    state.log.replaceSubrange(place..<(place + 4), with: text.utf8)
    let read = try SavedState(windows: state.windowList, data: state.log)
    #expect(read.recordCount == 0 && read.fault?.offset == place)
  }

  @Test(
    "plaintexts that make no sense are those of another key",
    arguments: [
      [UInt8](repeating: 0, count: 0), RawPropertyList.integer(0, 4) + RawPropertyList.integer(99, 4),
      RawPropertyList.integer(0, 4) + RawPropertyList.integer(1, 4) + [0xFF],
      RawPropertyList.integer(0, 4) + RawPropertyList.integer(0, 4) + Array("rchv".utf8) + RawPropertyList.integer(99, 4),
      RawPropertyList.integer(0, 4) + RawPropertyList.integer(0, 4) + [UInt8](repeating: 0, count: 40),
    ])
  func refusesPlaintexts(_ plain: [UInt8]) throws {
    var state = RawSavedState()
    state.addWindow(3)
    state.addRecord(3, plaintext: plain)
    #expect(try SavedState(windows: state.windowList, data: state.log).undecipherable == [0])
  }

  @Test("what a saved state of AppKit has in unusual places can be stored", arguments: 0..<4)
  func storesAppKit(_ number: Int) throws {
    let long = String(repeating: "x", count: 100_000)
    var state = RawSavedState()
    var entries: [(String, PlainPropertyList)] = [("NSIsGlobal", .bool(true))]
    switch number {
    case 0: entries.append(("NSSystemVersion", .array([PlainPropertyList](repeating: .integer(.max), count: 4))))
    case 1: entries.append(("CFBundleVersion", .string(long)))
    case 2: entries.append(("CFBundleVersion", .string("")))
    default: entries.append(("NSSystemVersion", .array([PlainPropertyList](repeating: .integer(.min), count: 4))))
    }
    state.addWindow(3, entries)
    state.addRecord(3, number == 2 ? "" : long, [("rchv", []), ("\u{1B}[2J", [1])])
    let imported = try ImportedArchive(windows: state.windowList, data: state.log)
    _ = try imported.tree.encoded()
    for note in imported.notes { #expect(!note.description.unicodeScalars.contains("\u{1B}")) }
  }
}

extension SavedState {
  /// Reads a saved state within the default limits.
  init(windows: [UInt8], data: [UInt8]?) throws(KeyedArchiveError) {
    try self.init(windows: windows, data: data, ImportContext(.standard, byteCount: windows.count + (data?.count ?? 0)))
  }
}
