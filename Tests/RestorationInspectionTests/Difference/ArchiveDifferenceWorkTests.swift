import ArchiveFormat
import ProcessKit
import Testing

/// The work of a comparison is near linear, whatever is compared.
///
/// Other tests would be counted too, so a process of its own does the work.
@Suite struct ArchiveDifferenceWorkTests {
  @Test(
    "four times as many nodes take at most five times the work",
    .enabled(if: WorkMeter.total != nil, "only debug builds and -DMETERED count"))
  func isNearLinear() throws {
    let result = try TestProcess.run("archive-probe", ["difference", "100", "400"])
    let lines = result.text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 2) }
    #expect(lines.count == 10, "\(result.error)")
    for line in lines {
      let (small, large) = (try #require(Int(line[0])), try #require(Int(line[1])))
      // It counts something, and a quadratic comparison would take sixteen times the work.
      #expect(small >= 100 && large > small && large <= 5 * small, "\(line[2]): \(small), then \(large)")
    }
  }
}
