import ArchiveFormat
import CorpusKit
import PropertyKit

/// Measures memory and work of all operations that create no values, on hostile files, and prints the ones that exceed
/// the bounds.
///
/// The last lines report the used share of the bounds, and the number of files.
struct BoundsProbe {
  /// The memory bound: four times the file and a megabyte.
  static func maximumMemory(_ count: Int) -> Int { 4 * count + 1 << 20 }
  /// The work bound of one operation, in the units of `WorkMeter`.
  ///
  /// A record of 48 bytes may share an identifier of a kilobyte with others, and lie in a different block from the
  /// previous record.
  static func maximumWork(_ count: Int) -> Int { 256 * count + 1 << 21 }

  private var fileCount = 0
  /// The greatest used share of each bound, and its cause.
  private var memory = (share: 0.0, by: "nothing")
  private var work = (share: 0.0, by: "nothing")

  /// Measures mutations of the corpus with the given seeds.
  mutating func measureMutations(_ seeds: ClosedRange<Int>) throws {
    let files = try Corpus.files().map(\.bytes).filter { $0.count <= 65_536 }
    for seed in seeds {
      var random = SeededGenerator(seed: UInt64(seed))
      var mutator = ArchiveMutator(seed: UInt64(seed))
      try measure("seed \(seed)", mutator.mutate(random.pick(files)), each: false)
    }
  }

  /// Measures the hostile files of one size.
  mutating func measureBuilt(_ count: Int) throws {
    for file in HostileArchive.all(count: count) { try measure(file.name, file.bytes, each: true) }
  }

  /// Measures each operation separately, or all at once, which gives the greatest peak.
  ///
  /// The first execution of code, and the runtime's caches of type metadata, also take memory: up to half a megabyte in
  /// a release build, whatever the file. So a group that exceeds a bound is measured once more, and the second result
  /// counts.
  private mutating func measure(_ name: String, _ bytes: [UInt8], each: Bool) throws {
    fileCount += 1
    let groups = each ? Inspection.allCases.map { [$0] } : [Inspection.allCases]
    for group in groups {
      var (memory, work) = try cost(of: group, on: bytes)
      if !isWithin(memory, work, bytes.count, group.count) { (memory, work) = try cost(of: group, on: bytes) }
      let name = "\(name), \(bytes.count) bytes: \(group.count == 1 ? group[0].rawValue : "all")"
      self.memory = max(self.memory, (Double(memory) / Double(Self.maximumMemory(bytes.count)), name)) { $0.share < $1.share }
      self.work = max(self.work, (Double(work) / Double(Self.maximumWork(bytes.count) * group.count), name)) { $0.share < $1.share }
      if isWithin(memory, work, bytes.count, group.count) { continue }
      print("\(name): \(memory) bytes of memory, \(work) units of work")
    }
  }

  private func cost(of group: [Inspection], on bytes: [UInt8]) throws -> (memory: Int, work: Int) {
    var delivered = 0
    let before = WorkMeter.total ?? 0
    let memory = try PeakMemory.growth { for operation in group { delivered += operation.perform(on: bytes) } }
    return (memory, (WorkMeter.total ?? 0) - before + delivered)
  }

  private func isWithin(_ memory: Int, _ work: Int, _ byteCount: Int, _ operationCount: Int) -> Bool {
    memory <= Self.maximumMemory(byteCount) && work <= Self.maximumWork(byteCount) * operationCount
  }

  /// Prints the last lines.
  func finish() {
    print("at most \(Int(memory.share * 100)) % of the memory (\(memory.by))")
    print("at most \(Int(work.share * 100)) % of the work (\(work.by))")
    print("\(fileCount) files")
  }
}

private func max<Element>(_ first: Element, _ second: Element, by areInOrder: (Element, Element) -> Bool) -> Element {
  areInOrder(first, second) ? second : first
}
