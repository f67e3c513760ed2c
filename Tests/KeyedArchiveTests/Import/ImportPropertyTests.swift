import KeyedArchive
import KeyedArchiveKit
import PropertyKit
import RestorationArchive
import TestStage
import Testing

/// Properties of all bytes hold for the fixtures and their mutations.
@Suite struct ImportPropertyTests {
  @Test("every property holds for every fixture, also the way through a keyed archive (R-K4-1)", arguments: AppleFixture.all)
  func holds(_ fixture: AppleFixture) throws {
    for property in KeyedArchiveProperty.allCases { try property.check(fixture.bytes) }
  }

  /// 40,000 in the second stage.
  @Test("every property holds for mutations", arguments: 0..<8)
  func holdsForMutations(_ part: Int) throws {
    let seeds = AppleFixture.all.map(\.bytes).filter { $0.count < 4000 && !$0.isEmpty }
    for number in 0..<TestStage.count(20, exhaustive: 1250) {
      let seed = UInt64(part * 10_000 + number)
      var random = SeededGenerator(seed: seed)
      var mutator = PropertyListMutator(seed: seed)
      let bytes = mutator.mutate(random.pick(seeds))
      for property in KeyedArchiveProperty.allCases {
        do {
          try property.check(bytes)
        } catch {
          Issue.record("\(property.rawValue), seed \(seed): \(error)")
        }
      }
    }
  }

  @Test("mutated records of AppKit", arguments: TestStage.seeds(40, exhaustive: 1000))
  func holdsForRecords(_ seed: UInt64) throws {
    var mutator = PropertyListMutator(seed: seed)
    let fixture = try #require(AppleFixture.all.first { $0.name == "keyed-archives/valid/named-values" })
    let archive = mutator.mutate(fixture.bytes)
    var plain = RawPropertyList.integer(0, 4) + RawPropertyList.integer(1, 4) + Array("a".utf8) + Array("rchv".utf8)
    plain += RawPropertyList.integer(UInt64(archive.count), 4) + archive
    let input = KeyedArchiveProperty.savedStateMark + [1] + RawPropertyList.integer(UInt64(plain.count), 2) + plain
    try KeyedArchiveProperty.stateImport.check(input)
    // What the property makes of it is a record that is read.
    let state = KeyedArchiveProperty.savedState(Array(input.dropFirst(4)))
    #expect(try SavedState(windows: state.windowList, data: state.log).recordCount == 1)
  }

  @Test("random property lists of all kinds are written and read again (R-K2-3)", arguments: TestStage.seeds(30, exhaustive: 1500))
  func isFixpoint(_ seed: UInt64) throws {
    var generator = PlainPropertyListGenerator(seed: seed, kinds: .all)
    let plain = generator.list()
    let bytes = RawPropertyList(plain).bytes
    #expect(try SlowPropertyList.read(bytes) == plain)
    let list = try PropertyList(decoding: bytes)
    #expect(list.plain() == plain)
    #expect(try SlowPropertyList.read(list.encodedBinary()) == plain)
    try KeyedArchiveProperty.propertyList.check(bytes)
  }

  @Test("a depth that would overflow a stack is refused, and so is a long one in line")
  func limitsDepth() throws {
    var list = RawPropertyList(referenceSize: 3)
    for level in 0..<60_000 { list.add(list.array(level < 59_999 ? [level + 1] : [])) }
    let error = #expect(throws: KeyedArchiveError.self) { try PropertyList(decoding: list.bytes) }
    #expect(error?.code == .depthLimit)
    var limits = ImportLimits()
    limits.depth = 10
    #expect(throws: KeyedArchiveError.self) {
      try PropertyList(decoding: RawPropertyList(.array([.array([.array([])])])).bytes, limits: ImportLimits(depth: 2))
    }
    _ = try PropertyList(decoding: RawPropertyList(.array([.array([.array([])])])).bytes, limits: limits)
  }

  @Test("the numbers of objects and of units of work are limited (R-K7-1)")
  func limitsCounts() throws {
    let bytes = RawPropertyList(.array((0..<500).map { .integer($0) })).bytes
    let few = #expect(throws: KeyedArchiveError.self) { try PropertyList(decoding: bytes, limits: ImportLimits(objects: 500)) }
    #expect(few?.code == .countLimit)
    _ = try PropertyList(decoding: bytes, limits: ImportLimits(objects: 501))
  }

  /// An array with 4,500 places for one large object, or for dictionaries with it as their key.
  private static func sharing(_ object: [UInt8], asKey: Bool = false) -> [UInt8] {
    var list = RawPropertyList(referenceSize: 2)
    list.add(list.array(asKey ? Array(3..<4503) : Array(repeating: 1, count: 4500)))
    list.add(object)
    list.add([9])
    if asKey { for _ in 0..<4500 { list.add(list.dictionary([1], [2])) } }
    return list.bytes
  }

  @Test("what is shared and long is written once, and keys are counted for each place that they are copied to (R-K3-2, R-K7-1)")
  func countsCopies() throws {
    let long = String(repeating: "x", count: 1_000_000)
    let lists = [
      Self.sharing(RawPropertyList.ascii(long)), Self.sharing(RawPropertyList.marker(0x40, 1_000_000) + long.utf8),
      // Too long for a key, so that it is the first value of a pair.
      Self.sharing(RawPropertyList.ascii(String(long.prefix(70_000))), asKey: true),
    ]
    for list in lists {
      let imported = try ImportedArchive(decoding: list)
      #expect(imported.hasOutOfLineObjects && imported.tree.applicationState.count == 2)
    }
    let keys = Self.sharing(RawPropertyList.ascii(String(long.prefix(60_000))), asKey: true)
    let error = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: keys) }
    #expect(error?.code == .workLimit)
    // As many places for a short text are no problem.
    #expect(try ImportedArchive(decoding: Self.sharing(RawPropertyList.ascii("short"))).tree.applicationState.count == 1)
  }

  @Test("text and data of keyed archives are counted too, in our layout and in states of UIKit (R-K7-1)")
  func countsCopiesInArchives() throws {
    let long = PlainPropertyList.string(String(repeating: "x", count: 1_000_000))
    var layout = RawKeyedArchive()
    let places = Array(repeating: layout.add(long), count: 4500)
    let state = layout.addDictionary([("list", layout.addArray(places))])
    layout.top = [("root", layout.addDictionary([("restorationArchive", .integer(1)), ("application", state)]))]
    // The data of each object is no archive, and would be kept as bytes.
    var states = RawKeyedArchive()
    let data = states.add(.data([UInt8](repeating: 1, count: 1_000_000)))
    states.top = [("kRootRestorationIdentifiersKey", states.addArray((0..<4500).map { .string("\($0)") }))]
    states.top += (0..<4500).map { ("\($0)", data) }
    var paths = RawKeyedArchive()
    paths.top = [("kRootRestorationIdentifiersKey", paths.addArray(Array(repeating: paths.add(long), count: 4500)))]
    var strings = RawKeyedArchive()
    let (bytes, type) = (strings.add(.data([UInt8](repeating: 0x78, count: 1_000_000))), strings.addClass("NSString"))
    for _ in 0..<4500 { _ = strings.add(.object([("NS.bytes", bytes), ("$class", type)])) }
    for archive in [layout, states, paths, strings] {
      let error = #expect(throws: KeyedArchiveError.self) { try ImportedArchive(decoding: archive.bytes) }
      #expect(error?.code == .workLimit)
    }
  }

  @Test("the bytes between the objects of an archive are counted for each place that the archive is in (R-K7-1)")
  func countsGaps() throws {
    var object = RawPropertyList(RawKeyedArchive().plain, offsetSize: 4)
    // Nothing refers to the last object, and the table has the offset of another one in its place.
    object.offsets[object.add([UInt8](repeating: 0, count: 1_000_000))] = 8
    var states = RawKeyedArchive()
    let data = states.add(.data(object.bytes))
    states.top = [("kRootRestorationIdentifiersKey", states.addArray((0..<300).map { .string("\($0)") }))]
    states.top += (0..<300).map { ("\($0)", data) }
    let error = #expect(throws: KeyedArchiveError.self) { _ = try ImportedArchive(decoding: states.bytes) }
    #expect(error?.code == .workLimit)
  }

  @Test("objects that nothing refers to take no memory but that of the list, and one place is named once (R-K7-1)")
  func leavesOutUnreached() throws {
    for marker in [9, 0x71] as [UInt8] {
      var list = RawPropertyList(referenceSize: 2)
      list.add(list.array([]))
      let place = list.add([marker])
      for _ in 0..<1000 { list.offsets[list.add([9])] = list.places[place] }
      let imported = try ImportedArchive(decoding: list.bytes, limits: ImportLimits(objects: 1010))
      #expect(imported.notes.count == (marker == 9 ? 0 : 1))
      #expect(imported.notes.allSatisfy { $0.text.hasSuffix("refers to the object; also at 1000 more places") })
    }
  }

  @Test("what a file has in the place of a version is safe to print")
  func escapesVersions() throws {
    for version in ["\u{1B}c", "1\n"] {
      let error = #expect(throws: KeyedArchiveError.self) { try PropertyList(decoding: Array("bplist\(version)".utf8)) }
      #expect(error?.description.contains { $0 == "\u{1B}" || $0 == "\n" } == false)
    }
  }

  @Test("references are counted by the memory that they take (R-K7-1)")
  func countsReferences() throws {
    for kind in [0xA0, 0xC0, 0xD0] as [UInt8] {
      var list = RawPropertyList()
      list.add(list.array([1]))
      list.add(list.container(kind, count: kind < 0xD0 ? 20_000 : 10_000, [Int](repeating: 2, count: 20_000)))
      list.add([9])
      for number in 3..<33 {
        list.add([9])
        list.offsets[number] = list.places[1]
      }
      let error = #expect(throws: KeyedArchiveError.self) { _ = try PropertyList(decoding: list.bytes) }
      #expect(error?.code == .workLimit)
    }
  }

  @Test("keys with a hundred thousand combining marks are compared by their bytes")
  func comparesBytes() throws {
    let marks = "a" + String(repeating: "\u{315}", count: 100_000) + String(repeating: "\u{300}", count: 100_000)
    var archive = RawKeyedArchive()
    archive.top = [(marks, .string(marks))]
    // Normalization would take minutes.
    let imported = try ImportedArchive(decoding: archive.bytes)
    #expect(imported.source == .keyedArchive && imported.tree.applicationState.count == 1)
  }
}
