import KeyedArchive
import KeyedArchiveKit
import PropertyKit
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
}
