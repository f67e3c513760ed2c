#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How much the tests try: a sample, which takes two minutes, or everything.
///
/// `swift test` runs the first stage. `EXHAUSTIVE=1`, which `.ci/exhaustive` sets, makes the same tests try everything; that wants a release
/// build.
///
/// ```swift
/// @Test(arguments: TestStage.seeds(20, exhaustive: 2000))
/// func survives(_ seed: UInt64) { … }
/// ```
public enum TestStage {
  /// Whether this is the second stage.
  public static let isExhaustive = ProcessInfo.processInfo.environment["EXHAUSTIVE"] == "1"

  /// Returns how many tries a test makes in this stage.
  public static func count(_ sample: Int, exhaustive: Int) -> Int {
    isExhaustive ? exhaustive : sample
  }

  /// Returns the seeds from zero that a test tries in this stage.
  public static func seeds(_ sample: UInt64, exhaustive: UInt64) -> Range<UInt64> {
    0..<(isExhaustive ? exhaustive : sample)
  }

  /// Returns everything in the second stage, and in the first every `step`-th element, from the first one on.
  public static func every<Elements: Collection>(_ step: Int, of elements: Elements) -> [Elements.Element] {
    isExhaustive ? Array(elements) : elements.enumerated().filter { $0.offset % step == 0 }.map(\.element)
  }
}
