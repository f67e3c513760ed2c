/// What the command line asks for.
struct BenchOptions {
  enum Format: String {
    case text, json
  }

  var operations: [Operation] = Operation.allCases
  var sizes: [WorkloadSize] = WorkloadSize.allCases
  var format = Format.text
  /// Whether floors are to be held against what was measured.
  var checks = false
  var asksForHelp = false
  /// The operation that a profiler is to see, and how often.
  var profiled: Operation?
  /// Who does it for the profiler.
  var contender = Contender.archive
  var repetitions: Int?

  init(_ arguments: [String]) throws(UsageError) {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
      let attached: String? = parts.count > 1 ? parts[1] : nil
      let name = parts.first ?? ""
      switch name {
      case "--check", "--help":
        guard attached == nil else { throw UsageError("\(name) takes no value") }
        if name == "--check" { checks = true } else { asksForHelp = true }
      case "--only", "--size", "--format", "--profile", "--contender", "--repeat":
        guard let value = attached ?? rest.popFirst() else { throw UsageError("\(name) needs a value") }
        try set(name, to: value)
      default:
        throw UsageError("unknown \(argument.hasPrefix("-") ? "option" : "argument") \"\(argument)\"")
      }
    }
  }

  private mutating func set(_ name: String, to value: String) throws(UsageError) {
    switch name {
    case "--only": operations = try Self.list(value) { Operation(rawValue: $0) }
    case "--size": sizes = try Self.list(value) { WorkloadSize(rawValue: $0) }
    case "--format": format = try Self.choice(value) { Format(rawValue: $0) }
    case "--profile": profiled = try Self.choice(value) { Operation(rawValue: $0) }
    case "--contender": contender = try Self.choice(value) { Contender(rawValue: $0) }
    default: repetitions = try Self.choice(value) { Int($0).flatMap { $0 > 0 ? $0 : nil } }
    }
  }

  private static func list<Choice>(_ text: String, _ choice: (String) -> Choice?) throws(UsageError) -> [Choice] {
    var choices: [Choice] = []
    for part in text.split(separator: ",") { choices.append(try Self.choice(String(part), choice)) }
    guard !choices.isEmpty else { throw UsageError("nothing is named") }
    return choices
  }

  private static func choice<Choice>(_ text: String, _ choice: (String) -> Choice?) throws(UsageError) -> Choice {
    guard let choice = choice(text) else { throw UsageError("\"\(text)\" is none of the choices") }
    return choice
  }
}
