import EngineKit
import StateRestoration
import Testing

/// What exceeds a budget at save time is in the report, and is saved all the same.
@Suite struct SizeBudgetTests {
  private static func report(_ budget: SizeBudget?) throws -> PreservationReport {
    let object = SampleObject("root")
    object.values = ["first": 1000, "second": 2000]
    let application = RestorableTree(roots: [object])
    try application.startFresh()
    let preservation = try application.preserve(header: ArchiveHeader(), options: PreservationOptions(budget: budget))
    #expect(try preservation.archive != nil)
    return preservation.report
  }

  @Test func reportsWhatExceedsTheBudget() throws {
    let report = try Self.report(SizeBudget(archive: 100_000, eachNode: 3, paths: ["root": 100_000, "*": 4]))
    let bytes = try #require(report.entries().first).byteCount
    #expect(report.excesses == ["root: \(bytes) bytes, at most 3 expected", "*: \(bytes) bytes, at most 4 expected"])
    #expect(report.description.contains("over budget: root: \(bytes) bytes, at most 3 expected"))
    #expect(report.json().contains("\"excesses\""))
  }

  @Test("within the budget, and without one, the report is the same")
  func isSilentWithinTheBudget() throws {
    let within = try Self.report(SizeBudget(archive: 100_000))
    let without = try Self.report(nil)
    #expect(within.excesses == [] && without.excesses == [])
    #expect(within.description == without.description)
    #expect(within.json() == without.json())
    #expect(!without.json().contains("excesses"))
  }
}
