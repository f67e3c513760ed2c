/// A performance goal: a floor that must be met, and a stretch goal.
struct Goal {
  let operation: Operation
  let load: Load
  let yardstick: Yardstick
  let floor: Double
  let stretch: Double

  init(_ operation: Operation, _ load: Load, _ yardstick: Yardstick, floor: Double, stretch: Double) {
    self.operation = operation
    self.load = load
    self.yardstick = yardstick
    self.floor = floor
    self.stretch = stretch
  }

  /// Whether a value is at least as good as a bound.
  func isReached(_ bound: Double, by value: Double) -> Bool { yardstick.isMoreBetter ? value >= bound : value <= bound }

  /// Returns the shortfall of a value as a fraction of the bound; 0 or less if the bound is met.
  func shortfall(of value: Double, from bound: Double) -> Double {
    yardstick.isMoreBetter ? 1 - value / bound : value / bound - 1
  }
}

extension Goal {
  static let all: [Goal] = onEverySize + coding + launching + changing + files + memory

  private static let onEverySize: [Goal] = Load.trees.flatMap { load in
    [
      Goal(.firstValue, load, .microseconds, floor: 30, stretch: 15),
      Goal(.durableSave, load, .timesSlower(than: .bareWrite), floor: 1.2, stretch: 1),
      Goal(.preserve, load, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.5),
      Goal(.restore, load, .timesSlower(than: .bareCoder), floor: 2, stretch: 1.3),
      Goal(.decode, load, .timesSlower(than: .naive), floor: load == .large ? 1.2 : 1.3, stretch: 1),
      Goal(.size, load, .sizePerPayload, floor: 0.8, stretch: 0.75),
      Goal(.size, load, .sizeRelative(to: .propertyList), floor: 1, stretch: 1),
      Goal(.size, load, .sizeRelative(to: .json), floor: 1, stretch: 1),
      Goal(.check, load, .throughput, floor: load == .medium ? 1 : 0.6, stretch: 2),
    ]
  }

  private static let coding: [Goal] = [
    coding(.small, decode: (propertyList: (floor: 14, stretch: 18), json: (floor: 7, stretch: 9))),
    coding(.medium, decode: (propertyList: (floor: 10, stretch: 12), json: (floor: 6, stretch: 7))), codable, growth,
  ].flatMap(\.self)

  private typealias Bounds = (floor: Double, stretch: Double)

  private static func coding(_ load: Load, decode: (propertyList: Bounds, json: Bounds)) -> [Goal] {
    [
      Goal(.encode, load, .timesFaster(than: .propertyList), floor: 25, stretch: 40),
      Goal(.encode, load, .timesFaster(than: .json), floor: 15, stretch: 25),
      Goal(.encode, load, .timesFaster(than: .naive), floor: 1.1, stretch: 1.4),
      Goal(.decode, load, .timesFaster(than: .propertyList), floor: decode.propertyList.floor, stretch: decode.propertyList.stretch),
      Goal(.decode, load, .timesFaster(than: .json), floor: decode.json.floor, stretch: decode.json.stretch),
    ]
  }

  private static let codable: [Goal] = [
    Goal(.codableEncode, .records, .timesFaster(than: .propertyList), floor: 12, stretch: 20),
    Goal(.codableEncode, .records, .timesFaster(than: .json), floor: 6, stretch: 10),
    Goal(.codableDecode, .records, .timesFaster(than: .propertyList), floor: 15, stretch: 20),
    Goal(.codableDecode, .records, .timesFaster(than: .json), floor: 7.5, stretch: 10),
  ]

  private static let growth: [Goal] = [Load.medium, .large].flatMap { (load: Load) -> [Goal] in
    [Operation.encode, .decode, .check].map { Goal($0, load, .growth, floor: 2, stretch: 1.5) }
  }

  private static let launching: [Goal] =
    [Operation.launch, .launchRestored].flatMap { (launch: Operation) -> [Goal] in
      [
        Goal(launch, .medium, .phase(.firstObject), floor: 2000, stretch: 1500),
        Goal(launch, .medium, .phaseRatio(.restore, to: .engine), floor: 1.3, stretch: 1.1),
        Goal(launch, .large, .phaseRatio(.restore, to: .engine), floor: 1.3, stretch: 1.1),
      ]
    } + [Goal(.scenes, .small, .phase(.manyScenes), floor: 500_000, stretch: 200_000)]

  private static let changing: [Goal] =
    [Operation.saveOne, .changePromised].flatMap { (change: Operation) -> [Goal] in
      [
        Goal(change, .medium, .phase(.captured), floor: 60, stretch: 30),
        Goal(change, .large, .phase(.captured), floor: 100, stretch: 50),
      ]
    } + [
      Goal(.changeSilent, .medium, .phase(.captured), floor: 1700, stretch: 1700),
      Goal(.changeSilent, .large, .phase(.captured), floor: 136_000, stretch: 136_000),
      Goal(.changeRestored, .medium, .phase(.captured), floor: 400, stretch: 250),
      Goal(.changeRestored, .large, .phase(.captured), floor: 80_000, stretch: 55_000),
    ]

  private static let files: [Goal] = [
    Goal(.firstValue, .large, .blocks, floor: 16, stretch: 16),
    Goal(.savePause, .small, .microseconds, floor: 60, stretch: 25),
    Goal(.saveOne, .large, .written, floor: 16, stretch: 8),
    Goal(.saveEdits, .medium, .sizeRelative(to: .whole), floor: 0.02, stretch: 0.01),
    Goal(.loadChain, .medium, .timesSlower(than: .base), floor: 1.5, stretch: 1.2),
    Goal(.loadChain, .large, .timesSlower(than: .base), floor: 1.5, stretch: 1.2),
  ]

  private static let memory: [Goal] = [
    Goal(.memory, .large, .memoryPerArchive(.encode), floor: 1.3, stretch: 1.1),
    Goal(.memory, .large, .memoryPerPayload(.untypedRead), floor: 3.5, stretch: 2),
    Goal(.memory, .large, .memory(.firstValue), floor: 1024, stretch: 64),
  ]
}

/// Compares the figures of a run with the goals.
///
/// A shared machine can miss a floor by chance. A missed floor is therefore measured again separately, and counts as
/// missed only if every attempt misses it.
struct GoalCheck {
  /// A goal and its measurements.
  struct MeasuredGoal {
    let goal: Goal
    /// The value of each attempt, from medians.
    private(set) var attempts: [Double]

    init?(_ goal: Goal, in report: Report) {
      guard let value = goal.yardstick.value(goal.operation, goal.load, in: report) else { return nil }
      (self.goal, attempts) = (goal, [value])
    }

    /// The best attempt.
    var best: Double { attempts.reduce(attempts[0]) { goal.isReached($0, by: $1) ? $1 : $0 } }

    var isMet: Bool { goal.isReached(goal.floor, by: best) }

    /// Adds another measurement.
    mutating func add(_ report: Report) {
      if let value = goal.yardstick.value(goal.operation, goal.load, in: report) { attempts.append(value) }
    }
  }

  /// The maximum number of attempts for a missed floor.
  static let maximumAttempts = 3

  private(set) var goals: [MeasuredGoal] = []

  var isPassed: Bool { goals.allSatisfy(\.isMet) }

  /// Adds the goals of a load whose operations have been measured.
  mutating func add(_ report: Report, _ load: Load) {
    goals += Goal.all.filter { $0.load == load }.compactMap { MeasuredGoal($0, in: report) }
  }

  /// Returns the operations with a missed floor that another attempt might meet.
  func operationsToMeasureAgain(on load: Load) -> [Operation] {
    let missed = goals.filter { $0.goal.load == load && !$0.isMet && $0.goal.yardstick.isNoisy }.map(\.goal.operation)
    return Operation.allCases.filter { missed.contains($0) }
  }

  /// Adds another attempt of an operation to its missed goals.
  mutating func addAttempt(_ report: Report, _ operation: Operation, _ load: Load) {
    for index in goals.indices where goals[index].goal.operation == operation && goals[index].goal.load == load {
      if !goals[index].isMet, goals[index].goal.yardstick.isNoisy { goals[index].add(report) }
    }
  }

  // MARK: Text

  /// A line for each goal, and the verdict.
  var text: String {
    let missed = goals.filter { !$0.isMet }.count
    let repeated = goals.filter { $0.isMet && $0.attempts.count > 1 }.count
    let verdict = missed == 0 ? "all \(goals.count) floors met" : "\(missed) of \(goals.count) floors missed"
    return TextTable(rows: goals.map(Self.row)).text + "\n" + verdict
      + (repeated == 0 ? "" : ", \(repeated) of those met only when measured again") + "\n"
  }

  private static func row(_ measured: MeasuredGoal) -> [String] {
    let goal = measured.goal
    let stretch = goal.shortfall(of: measured.best, from: goal.stretch)
    let attempts = measured.attempts.map { Number.text($0) }.joined(separator: ", ")
    return [
      measured.isMet ? "met" : "MISSED", goal.operation.rawValue, goal.load.rawValue,
      "\(Number.text(measured.best)) \(goal.yardstick.unit)",
      "floor \(Number.text(goal.floor))"
        + (measured.isMet ? "" : ", missed by \(Number.percent(goal.shortfall(of: measured.best, from: goal.floor)))"),
      "stretch \(Number.text(goal.stretch))" + (stretch <= 0 ? " reached" : ", \(Number.percent(stretch)) away"),
      measured.attempts.count > 1 ? "measured \(measured.attempts.count) times: \(attempts)" : "",
    ]
  }
}

/// The unit of a performance goal.
enum Yardstick {
  /// Times faster than another contender; more is better.
  case timesFaster(than: Contender)
  /// Times slower than another contender; less is better.
  case timesSlower(than: Contender)
  case microseconds
  /// Microseconds of a phase of a launch or a save.
  case phase(Phase)
  /// The time of one phase of a launch relative to another.
  case phaseRatio(Phase, to: Phase)
  /// Gigabytes of archive per second; more is better.
  case throughput
  /// The number of blocks read.
  case blocks
  /// The kilobytes written by a save.
  case written
  /// Bytes of archive per byte of payload.
  case sizePerPayload
  /// Bytes of archive per byte of another contender's encoded form.
  case sizeRelative(to: Contender)
  /// Bytes of memory per byte of archive.
  case memoryPerArchive(Operation)
  /// Bytes of memory per byte of payload.
  case memoryPerPayload(Operation)
  /// KiB of memory.
  case memory(Operation)
  /// The time per byte of payload on the slowest size, divided by that on the fastest, among the sizes measured so far.
  case growth

  /// Whether a larger value is better.
  var isMoreBetter: Bool {
    switch self {
    case .timesFaster, .throughput: true
    default: false
    }
  }

  /// Whether repeated measurements can give different values.
  var isNoisy: Bool {
    switch self {
    case .blocks, .written, .sizePerPayload, .sizeRelative: false
    default: true
    }
  }

  /// The text that follows the number.
  var unit: String {
    switch self {
    case .timesFaster(let contender): "x \(contender.rawValue)"
    case .timesSlower(let contender): "x the time of \(contender.rawValue)"
    case .microseconds: "us"
    case .phase(let phase): "us \(phase.rawValue)"
    case .phaseRatio(let phase, let other): "x \(phase.rawValue), to \(other.rawValue)"
    case .throughput: "GB/s"
    case .blocks: "blocks"
    case .written: "KB written"
    case .sizePerPayload: "x payload"
    case .sizeRelative(let contender): "x \(contender.rawValue)"
    case .memoryPerArchive(let operation): "x archive (\(operation.rawValue))"
    case .memoryPerPayload(let operation): "x payload (\(operation.rawValue))"
    case .memory(let operation): "KiB (\(operation.rawValue))"
    case .growth: "x growth"
    }
  }

  /// Returns the measured value; nil if it was not measured.
  func value(_ operation: Operation, _ load: Load, in report: Report) -> Double? {
    let timing = report.timing(operation, load, .archive)
    switch self {
    case .timesFaster(let contender):
      return report.timing(operation, load, contender)?.quotient(by: timing)
    case .timesSlower(let contender):
      return timing?.quotient(by: report.timing(operation, load, contender))
    case .microseconds: return timing.map { $0.median / 1000 }
    case .phase(let phase): return report.timing(operation, load, phase).map { $0.median / 1000 }
    case .phaseRatio(let phase, let other):
      return report.timing(operation, load, phase)?.quotient(by: report.timing(operation, load, other))
    case .throughput: return quotient((report.shape(of: load)?.archiveByteCount).map { Double($0) }, timing?.median)
    case .blocks: return report.blockCount(load).map { Double($0) }
    case .written: return report.byteCount(operation, load).map { Double($0) / 1000 }
    case .sizePerPayload: return quotient(report.byteCount(operation, load), report.shape(of: load)?.counts?.payload)
    case .sizeRelative(let contender):
      return quotient(report.byteCount(operation, load), report.byteCount(operation, load, contender))
    case .memoryPerArchive(let phase): return quotient(report.memory(phase, load), report.shape(of: load)?.archiveByteCount)
    case .memoryPerPayload(let phase): return quotient(report.memory(phase, load), report.shape(of: load)?.counts?.payload)
    case .memory(let phase): return report.memory(phase, load).map { Double($0) / 1024 }
    case .growth: return growth(of: operation, in: report)
    }
  }

  private func growth(of operation: Operation, in report: Report) -> Double? {
    let costs = report.shapes.compactMap { report.costOfByte(operation, $0.load) } + [1]
    guard costs.count > 1, let least = costs.min(), let most = costs.max() else { return nil }
    return most / least
  }

  private func quotient(_ left: Double?, _ right: Double?) -> Double? {
    guard let left, let right, right > 0 else { return nil }
    return left / right
  }

  private func quotient(_ left: Int?, _ right: Int?) -> Double? {
    quotient(left.map { Double($0) }, right.map { Double($0) })
  }
}
