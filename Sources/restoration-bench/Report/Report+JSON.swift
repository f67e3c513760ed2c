import Foundation

extension Report {
  /// The report as JSON; times in nanoseconds.
  func json(_ check: GoalCheck) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let document = ReportDocument(
      loads: shapes.map { ReportDocument.LoadEntry($0) }, figures: figures.map { ReportDocument.FigureEntry($0) },
      goals: check.outcomes.map { ReportDocument.GoalEntry($0) })
    return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
  }
}
