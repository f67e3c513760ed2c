import RestorationArchive
import RestorationInspection

/// One thing that the tool does.
protocol Verb: Sendable {
  /// The word on the command line.
  static var name: String { get }
  /// What it does, in a few words.
  static var summary: String { get }
  /// The operands, as the help shows them.
  static var operands: String { get }
  /// How many operands there may be.
  static var operandCount: ClosedRange<Int> { get }
  /// The options of its own; every verb has `--color` and `--help` too, and `--format` if it prints for programs.
  static var options: [CommandOption] { get }
  /// Whether it can print for programs.
  static var hasFormats: Bool { get }
  /// What to say instead of `--format`, if it has none.
  static var formatHint: String? { get }
  /// What else a user should know.
  static var discussion: String { get }
  /// An example.
  static var example: String { get }

  /// Does it.
  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus
}

extension Verb {
  static var hasFormats: Bool { true }
  static var formatHint: String? { nil }

  static var allOptions: [CommandOption] { options + (hasFormats ? [.format] : []) + [.color, .help] }

  /// The help, with the usage first.
  static var help: String {
    let width = allOptions.map(\.synopsis.count).max() ?? 0
    let lines = allOptions.map { option in
      "  \(option.synopsis)\(String(repeating: " ", count: width - option.synopsis.count))  \(option.help)"
    }
    return """
      \(summary.prefix(1).uppercased())\(summary.dropFirst()).

      \(usage)

      \(discussion)

      OPTIONS:
      \(lines.joined(separator: "\n"))

      EXAMPLE:
        \(example)

      """
  }

  static var usage: String { "USAGE: restoration \(name) [options]\(operands.isEmpty ? "" : " ")\(operands)" }

  /// Sorts the arguments and does what they say.
  static func start(_ arguments: ArraySlice<String>, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let asksForHelp = arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    if asksForHelp {
      console.write(help)
      return .fine
    }
    // Known to all verbs, so that nobody is told of another option with a name like it.
    let arguments = try CommandArguments(arguments, options: allOptions + (hasFormats ? [] : [.format]))
    guard hasFormats || !arguments.has("format") else { throw .usage("\(name) has no --format", hint: formatHint) }
    console.useColor(arguments.value("color"))
    guard operandCount.contains(arguments.operands.count) else {
      let problem = arguments.operands.count < operandCount.lowerBound ? "too few operands" : "too many operands"
      throw .usage("\(problem) for \(name)", hint: usage)
    }
    return try run(arguments, console)
  }
}

extension CommandArguments {
  /// Whether to print for programs.
  var printsJSON: Bool { value("format") == "json" }

  /// What to do with sensitive values.
  var sensitive: SensitiveValues { has("reveal") ? .reveal : .redact }
}
