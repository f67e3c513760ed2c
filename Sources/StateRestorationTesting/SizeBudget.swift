public import StateRestoration

/// Limits on the size of saved state: in total, for each node and for paths.
///
///     let budget = SizeBudget(total: 64_000, each: 4_000, paths: ["root/editors/**": 20_000])
///     #expect(budget.excesses(of: preservation.report) == [])
public struct SizeBudget: Sendable {
  private let total: Int
  private let each: Int
  private let paths: [(pattern: RestorationPattern, bytes: Int)]

  /// Creates limits in bytes: for the archive, for the state of each node, and for the total state of all nodes that
  /// match a pattern.
  ///
  /// - Precondition: The keys of `paths` are valid paths or patterns.
  public init(total: Int = .max, each: Int = .max, paths: KeyValuePairs<String, Int> = [:]) {
    self.total = total
    self.each = each
    self.paths = paths.map { text, bytes in
      do throws(ArchiveError) {
        return (try RestorationPattern(text), bytes)
      } catch {
        preconditionFailure("\"\(text)\" is no path or pattern: \(error)")
      }
    }
  }

  /// Returns the exceeded limits, one line each.
  public func excesses(of report: PreservationReport) -> [String] {
    var lines: [String] = []
    if report.byteCount > total { lines.append("the archive: \(report.byteCount) bytes, at most \(total) expected") }
    let entries = report.entries()
    for entry in entries where entry.byteCount > each {
      lines.append("\(entry.path): \(entry.byteCount) bytes, at most \(each) expected")
    }
    for (pattern, limit) in paths {
      let bytes = entries.filter { pattern.matches($0.path) }.reduce(0) { $0 + $1.byteCount }
      if bytes > limit { lines.append("\(pattern): \(bytes) bytes, at most \(limit) expected") }
    }
    return lines
  }
}
