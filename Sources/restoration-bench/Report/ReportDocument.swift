/// The form of a report for programs.
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
    var median, minimum: Double?
    var runs, bytes, blocks: Int?
    /// The operation whose memory `bytes` is.
    var of: String?

    init(_ figure: Figure) {
      operation = figure.operation.rawValue
      load = figure.load.rawValue
      contender = figure.contender.rawValue
      switch figure.measure {
      case .time(let timing, let byteCount):
        median = timing.median
        minimum = timing.minimum
        runs = timing.runCount
        bytes = byteCount
      case .bytes(let count): bytes = count
      case .blocks(let count): blocks = count
      case .memory(let operation, let count):
        of = operation.rawValue
        bytes = count
      }
    }
  }

  struct GoalEntry: Encodable {
    let operation, load, unit: String
    let value, floor, stretch: Double
    let isMet: Bool

    init(_ outcome: GoalCheck.Outcome) {
      operation = outcome.goal.operation.rawValue
      load = outcome.goal.loadText
      unit = outcome.goal.yardstick.unit
      value = outcome.value
      floor = outcome.goal.floor
      stretch = outcome.goal.stretch
      isMet = outcome.isMet
    }
  }

  let loads: [LoadEntry]
  let figures: [FigureEntry]
  let goals: [GoalEntry]
}
