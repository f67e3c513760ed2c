import Foundation

extension Report {
  /// Returns the report as JSON, with times in nanoseconds.
  func json(_ check: GoalCheck) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    let document = ReportDocument(
      loads: shapes.map { ReportDocument.LoadEntry($0) }, figures: figures.map { ReportDocument.FigureEntry($0) },
      goals: check.goals.map { ReportDocument.GoalEntry($0) })
    return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
  }
}

/// The machine-readable form of a report.
struct ReportDocument: Encodable {
  struct LoadEntry: Encodable {
    let load: String
    let nodes, depth, values, strings, payload: Int?
    let archive: Int

    init(_ shape: LoadShape) {
      load = shape.load.rawValue
      nodes = shape.counts?.nodes
      depth = shape.counts?.depth
      values = shape.counts?.values
      strings = shape.counts?.strings
      payload = shape.counts?.payload
      archive = shape.archiveByteCount
    }
  }

  struct FigureEntry: Encodable {
    let operation, load, contender: String
    var phase: Phase?
    var median, minimum: Double?
    var runs, bytes, blocks: Int?
    /// The operation whose memory use is `bytes`.
    var of: String?

    init(_ figure: Figure) {
      operation = figure.operation.rawValue
      load = figure.load.rawValue
      contender = figure.contender.rawValue
      switch figure.measure {
      case .time(let timing, let byteCount):
        set(timing)
        bytes = byteCount
      case .phase(let phase, let timing):
        self.phase = phase
        set(timing)
      case .bytes(let count): bytes = count
      case .blocks(let count): blocks = count
      case .memory(let operation, let count):
        of = operation.rawValue
        bytes = count
      }
    }

    private mutating func set(_ timing: Timing) {
      median = timing.median
      minimum = timing.minimum
      runs = timing.runCount
    }
  }

  struct GoalEntry: Encodable {
    let operation, load, unit: String
    /// The best value and the values of all attempts.
    let value: Double
    let attempts: [Double]
    let floor, stretch: Double
    let isMet: Bool

    init(_ measured: GoalCheck.MeasuredGoal) {
      operation = measured.goal.operation.rawValue
      load = measured.goal.load.rawValue
      unit = measured.goal.yardstick.unit
      value = measured.best
      attempts = measured.attempts
      floor = measured.goal.floor
      stretch = measured.goal.stretch
      isMet = measured.isMet
    }
  }

  let loads: [LoadEntry]
  let figures: [FigureEntry]
  let goals: [GoalEntry]
}
