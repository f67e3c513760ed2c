import Foundation

/// The struct of the Codable workload: 12 fields of mixed types, like the state of an app.
struct CodableRecord: Codable, Equatable {
  var identifier: String
  var title: String
  var note: String
  var row: Int
  var section: Int
  var revision: Int
  var zoom: Double
  var offsetX: Double
  var offsetY: Double
  var isExpanded: Bool
  var isPinned: Bool
  var lastViewed: Date

  /// Returns the workload: 1,000 structs, the same in each run.
  static func workload() -> [CodableRecord] {
    var random = BenchRandom(seed: 0x5EED_C0DE)
    return (0..<1000).map { index in
      CodableRecord(
        identifier: "document-\(random.within(0...999_999))", title: "Quarterly summary \(index)",
        note: String(repeating: "note ", count: random.within(1...8)), row: random.within(0...40), section: random.within(0...9),
        revision: random.within(0...1_000_000), zoom: Double(random.within(1...8)) / 2, offsetX: random.fraction() * 4096,
        offsetY: random.fraction() * 4096, isExpanded: random.next() & 1 == 0, isPinned: random.next() & 1 == 0,
        lastViewed: Date(timeIntervalSinceReferenceDate: 780_000_000 + (random.fraction() * 1e10).rounded() / 1000))
    }
  }
}
