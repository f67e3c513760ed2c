import PropertyKit
import Foundation
import RestorationArchive
import Testing

/// Fields are found in any order of access, whatever fields the previous dictionary had.
@Suite struct FieldOrderTests {
  /// Fields declared in a different order from their names, some of them optional; one name is too long for the key
  /// table.
  private struct Record: Codable, Equatable {
    var zoom: Double?
    var alpha: Int?
    var middle: String?
    var isLast: Bool?
    var long: Int?
    var nested: [Record]?

    enum CodingKeys: String, CodingKey {
      case zoom, alpha, middle, isLast, nested
      case long = "a name of more than sixty-three bytes, which is written in line, again and again"
    }
  }

  private static func record(_ random: inout SeededGenerator, depth: Int) -> Record {
    Record(
      zoom: random.below(2) == 0 ? nil : Double(random.below(100)) / 4, alpha: random.below(2) == 0 ? nil : random.below(1000),
      middle: random.below(2) == 0 ? nil : "text \(random.below(1000))", isLast: random.below(2) == 0 ? nil : random.below(2) == 0,
      long: random.below(2) == 0 ? nil : random.below(1000),
      nested: depth == 0 || random.below(2) == 0 ? nil : (0..<random.below(4)).map { _ in record(&random, depth: depth - 1) })
  }

  @Test("an array of structs with optional fields round-trips", arguments: UInt64(1)...20)
  func decodesRecords(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let records = (0..<40).map { _ in Self.record(&random, depth: 2) }
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encode(records, forKey: "records") }
    let decoder = try ArchiveReader(writer.finish()).application().decoder()
    #expect(try decoder.decode([Record].self, forKey: "records") == records, "seed \(seed)")
  }

  @Test("repeated lookups of present and absent keys give the same results")
  func asksAgain() throws {
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { coder in
      try coder.encode(["b": 1, "a": 2], forKey: "first")
      try coder.encode(["b": 3, "c": 4], forKey: "second")
    }
    let decoder = try ArchiveReader(writer.finish()).application().decoder()
    for _ in 0..<2 {
      #expect(try decoder.decode([String: Int].self, forKey: "first") == ["a": 2, "b": 1])
      #expect(try decoder.decode([String: Int].self, forKey: "second") == ["b": 3, "c": 4])
      #expect(!decoder.containsValue(forKey: "third"))
    }
  }
}
