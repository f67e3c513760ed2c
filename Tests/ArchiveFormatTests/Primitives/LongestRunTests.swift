import ArchiveFormat
import Testing

/// The siblings that stay in a canonical link (Spec 15.5).
@Suite struct LongestRunTests {
  /// Returns all orders of the numbers below a count.
  private static func permutations(_ count: Int) -> [[Int]] {
    if count == 0 { return [[]] }
    return permutations(count - 1).flatMap { order in (0...order.count).map { order.prefix($0) + [count - 1] + order.dropFirst($0) } }
  }

  /// Returns the run that the Spec defines, found among all subsequences.
  private static func defined(_ numbers: [Int]) -> [Int] {
    let subsequences = (0..<(1 << numbers.count)).map { bits in numbers.filter { bits >> (numbers.firstIndex(of: $0) ?? 0) & 1 == 1 } }
    let runs = subsequences.filter { run in zip(run, run.dropFirst()).allSatisfy { $0 < $1 } }
    let length = runs.map(\.count).max() ?? 0
    return runs.filter { $0.count == length }.min { $0.reversed().lexicographicallyPrecedes($1.reversed()) } ?? []
  }

  @Test("of several longest runs, the one with the least numbers from the end is taken (R-15.5-1)", arguments: 0...6)
  func isThatOfTheSpec(_ count: Int) {
    for order in Self.permutations(count) { #expect(LongestRun.indexes(of: order).map { order[$0] } == Self.defined(order), "\(order)") }
  }
}
