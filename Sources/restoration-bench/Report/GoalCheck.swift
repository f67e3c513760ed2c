/// Holds what was measured against the goals.
struct GoalCheck {
  /// A goal and what was reached.
  struct Outcome {
    let goal: Goal
    let value: Double
    /// The same by the fastest runs; nil if the clock told no time for them.
    let best: Double?

    var isMet: Bool { goal.isReached(goal.floor, by: value) }
  }

  let outcomes: [Outcome]
  private let paces: [Pace]

  init(_ report: Report) {
    outcomes = Goal.all.compactMap { goal in
      guard let value = goal.yardstick.value(goal.operation, goal.load, in: report) else { return nil }
      return Outcome(goal: goal, value: value, best: goal.yardstick.value(goal.operation, goal.load, in: report, by: .minimum))
    }
    paces = report.shapes.compactMap { Pace($0.load, in: report) }
  }

  var isPassed: Bool { outcomes.allSatisfy(\.isMet) }

  /// A line for each goal that something was measured for, and what to read those in units by.
  var text: String {
    let rows = outcomes.map { outcome in
      let goal = outcome.goal
      let stretchShortfall = goal.shortfall(of: outcome.value, from: goal.stretch)
      return [
        outcome.isMet ? "met" : "MISSED", goal.operation.rawValue, goal.loadText,
        "\(Number.text(outcome.value)) \(goal.yardstick.unit)", outcome.best.map { "by minimum \(Number.text($0))" } ?? "no minimum",
        "floor \(Number.text(goal.floor))"
          + (outcome.isMet ? "" : ", missed by \(Number.percent(goal.shortfall(of: outcome.value, from: goal.floor)))"),
        "stretch \(Number.text(goal.stretch))" + (stretchShortfall <= 0 ? " reached" : ", \(Number.percent(stretchShortfall)) away"),
      ]
    }
    let missed = outcomes.filter { !$0.isMet }.count
    let verdict = missed == 0 ? "all \(outcomes.count) floors met" : "\(missed) of \(outcomes.count) floors missed"
    return TextTable(rows: rows).text + "\n" + (paces.map(\.text) + [verdict]).map { $0 + "\n" }.joined()
  }
}
