import RestorationArchive
import Storage
import Testing

@testable import ArchiveFormat

/// What an index of entries keeps from one record to the next.
@Suite struct EntryIndexTests {
  private static let count = 900
  private static func key(_ number: Int) -> String { "a key that is longer than fifteen bytes, \(number)" }

  @Test("an index goes on learning keys, however many strings it was asked with")
  func keepsLearning() throws {
    let state = ArchiveDictionary((0..<Self.count).map { (Self.key($0), ArchiveValue.integer($0)) })
    let records = try ArchiveRecords(.memory([UInt8](ArchiveTree(applicationState: state).encoded())))
    let index = EntryIndex(keys: records.keys)
    index.expectKeys()
    let record = try records.state(of: records.node(at: 0))
    let bytes = HeldBytes(of: record.storage)
    let section = try index.open(record.cursor, role: .state, in: bytes)
    defer { index.close(section) }
    /// Asks twice with one string, and returns whether the index knew it.
    func learns(_ key: String) -> Bool {
      for _ in 0..<2 { #expect(bytes.withSpan { index.field(key, in: section, $0) }.position >= 0) }
      return max(index.number(of: StringWords(key), slot: 0), index.number(of: StringWords(key), slot: 1)) >= 0
    }
    for number in 0..<(3 * Self.count) { #expect(learns(Self.key(number % Self.count))) }
    #expect(learns("a key that is longer than fifteen bytes, 7"))
  }

  @Test("an index that has grown large is not kept")
  func dropsLargeIndexes() throws {
    for (count, isKept) in [(10, true), (4000, true), (10_000, false)] {
      let state = ArchiveDictionary((0..<count).map { (Self.key($0), ArchiveValue.integer($0)) })
      let archive = try ArchiveReader(ArchiveTree(applicationState: state).encoded())
      #expect(try archive.application().decoder().allKeys.count == count)
      let index = archive.records.takeIndex()
      #expect(index.isSmall && (index.slots.count > 0) == isKept)
    }
  }
}
