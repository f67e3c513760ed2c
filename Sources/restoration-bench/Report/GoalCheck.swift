/// Compares the figures of a run with the goals.
///
/// A shared machine can miss a floor by chance. A missed floor is therefore measured again separately, and counts as
/// missed only if every attempt misses it.
struct GoalCheck {
  /// A goal and its measurements.
  struct MeasuredGoal {
    let goal: Goal
    /// The value of each attempt, from medians.
    private(set) var attempts: [Double] = []
    /// The best attempt.
    private(set) var best: Double
    /// The value of the best attempt from its fastest runs; nil if there is none.
    private(set) var byMinimum: Double?

    init?(_ goal: Goal, in report: Report) {
      guard let value = goal.yardstick.value(goal.operation, goal.load, in: report) else { return nil }
      self.goal = goal
      best = value
      add(value, in: report)
    }

    var isMet: Bool { goal.isReached(goal.floor, by: best) }

    /// Adds another measurement.
    mutating func add(_ report: Report) {
      guard let value = goal.yardstick.value(goal.operation, goal.load, in: report) else { return }
      add(value, in: report)
    }

    private mutating func add(_ value: Double, in report: Report) {
      attempts.append(value)
      guard goal.isReached(best, by: value) else { return }
      best = value
      byMinimum = goal.yardstick.value(goal.operation, goal.load, in: report, by: .minimum)
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
      "\(Number.text(measured.best)) \(goal.yardstick.unit)", measured.byMinimum.map { "by minimum \(Number.text($0))" } ?? "",
      "floor \(Number.text(goal.floor))"
        + (measured.isMet ? "" : ", missed by \(Number.percent(goal.shortfall(of: measured.best, from: goal.floor)))"),
      "stretch \(Number.text(goal.stretch))" + (stretch <= 0 ? " reached" : ", \(Number.percent(stretch)) away"),
      measured.attempts.count > 1 ? "measured \(measured.attempts.count) times: \(attempts)" : "",
    ]
  }
}
