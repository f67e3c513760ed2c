#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The extent of the tests: a sample, which takes two minutes, or the full set of cases.
///
/// `swift test` runs the first stage. With `EXHAUSTIVE=1`, which `.ci/exhaustive` sets, the same tests run a third of all
/// cases, which fits the time of CI; with `EXHAUSTIVE=all` they run all. The second stage leaves out the suites that do
/// not import this module, so only the file of a suite imports it.
///
/// ```swift
/// @Test(arguments: TestStage.seeds(20, exhaustive: 2000))
/// func survives(_ seed: UInt64) { … }
/// ```
public enum TestStage {
  /// Whether this is the second, exhaustive stage.
  public static let isExhaustive = ["1", "all"].contains(ProcessInfo.processInfo.environment["EXHAUSTIVE"])
  private static let isWhole = ProcessInfo.processInfo.environment["EXHAUSTIVE"] == "all"

  /// Returns the number of cases for a test in this stage.
  public static func count(_ sample: Int, exhaustive: Int) -> Int {
    isWhole ? exhaustive : isExhaustive ? max(sample, exhaustive / 3) : sample
  }

  /// Returns the number of random histories for a test in this stage; `HISTORIES` sets any other.
  ///
  /// The second stage has a time limit, so it runs some hundreds or thousands; many more are run by hand.
  public static func histories(_ sample: Int, exhaustive: Int) -> Int {
    ProcessInfo.processInfo.environment["HISTORIES"].flatMap { Int($0) } ?? count(sample, exhaustive: exhaustive)
  }

  /// Returns the seeds, from zero, for a test in this stage.
  public static func seeds(_ sample: UInt64, exhaustive: UInt64) -> Range<UInt64> {
    0..<UInt64(count(Int(sample), exhaustive: Int(exhaustive)))
  }

  /// Returns every `step`-th element, beginning with the first element; in the second stage at least every third.
  public static func every<Elements: Collection>(_ step: Int, of elements: Elements) -> [Elements.Element] {
    let step = self.step(step)
    return step == 1 ? Array(elements) : elements.enumerated().filter { $0.offset % step == 0 }.map(\.element)
  }

  /// Returns the step through a series of cases: at most 3 in the second stage, and 1 with `EXHAUSTIVE=all`.
  public static func step(_ sample: Int) -> Int {
    isWhole ? 1 : isExhaustive ? min(sample, 3) : sample
  }
}
