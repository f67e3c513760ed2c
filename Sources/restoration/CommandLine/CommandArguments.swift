import RestorationArchive
import RestorationInspection

/// The arguments of a verb, split into options and operands.
///
/// The conventions are the usual ones: `--option value` and `--option=value`, `-o value`, and options and operands in
/// any order. `--` ends the options, and `-` is an operand.
struct CommandArguments {
  private(set) var operands: [String] = []
  private var values: [String: [String]] = [:]

  init(_ arguments: ArraySlice<String>, options: [CommandOption]) throws(ToolFailure) {
    try sort(arguments, options)
    for option in options where has(option.name) {
      if let needed = option.needed, !has(needed) { throw .usage("--\(option.name) needs --\(needed)") }
    }
  }

  private mutating func sort(_ arguments: ArraySlice<String>, _ options: [CommandOption]) throws(ToolFailure) {
    var rest = arguments
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        continue
      }
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let option = try Self.option(parts[0], among: options)
      try set(option, attached: parts.count > 1 ? parts[1] : nil, &rest)
    }
  }

  private static func option(_ text: String, among options: [CommandOption]) throws(ToolFailure) -> CommandOption {
    if let found = options.first(where: { $0.spellings.contains(text) }) { return found }
    let suggestion = Suggestion.nearest(to: text, among: options.map { "--\($0.name)" })
    throw .usage("unknown option \(text.escapedForDisplay)", hint: suggestion.map { "did you mean \($0)?" })
  }

  private mutating func set(
    _ option: CommandOption, attached: String?, _ rest: inout ArraySlice<String>
  ) throws(ToolFailure) {
    let name = "--\(option.name)"
    guard values[option.name] == nil || option.isRepeatable else { throw .usage("\(name) is given twice") }
    guard let placeholder = option.value else {
      guard attached == nil else { throw .usage("\(name) takes no value") }
      values[option.name] = []
      return
    }
    guard let value = attached ?? rest.popFirst() else { throw .usage("\(name) needs a value: \(option.synopsis)") }
    guard placeholder != CommandOption.number || (!value.isEmpty && value.utf8.allSatisfy { (0x30...0x39).contains($0) }) else {
      throw .usage("\(name): \"\(value.escapedForDisplay)\" is not a whole number, such as 3")
    }
    guard option.choices.isEmpty || option.choices.contains(value) else {
      if option.choices.count == 1 {
        throw .usage("\(name): the only choice is \(option.choices[0]), not \"\(value.escapedForDisplay)\"")
      }
      let choices = option.choices.joined(separator: ", ")
      throw .usage("\(name): \"\(value.escapedForDisplay)\" is not one of \(choices)")
    }
    values[option.name, default: []].append(value)
  }

  /// Returns the arguments with other operands in place of the first ones.
  func replacingFirstOperands(with operands: [String]) -> CommandArguments {
    var arguments = self
    arguments.operands.replaceSubrange(..<operands.count, with: operands)
    return arguments
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  /// Returns the last value of an option, or nil if it was not given.
  func value(_ name: String) -> String? { values[name]?.last }

  /// Returns all values of a repeatable option.
  func values(_ name: String) -> [String] { values[name] ?? [] }

  /// Returns the value of a numeric option, or nil if it was not given; `Int.max` for a number that is larger.
  func number(_ name: String) -> Int? { value(name).map { Int($0) ?? .max } }

  var printsJSON: Bool { value("format") == "json" }

  var sensitive: SensitiveValues { has(CommandOption.reveal.name) ? .reveal : .redact }
}

/// An option of a verb, such as `--depth N`.
struct CommandOption {
  /// The name, without dashes.
  let name: String
  /// The single letter, if there is one.
  var letter: Character?
  /// The placeholder for the value in the help text; nil if the option takes no value.
  var value: String?
  /// The allowed values; empty if any value is allowed.
  var choices: [String] = []
  /// Whether the option may be given several times.
  var isRepeatable = false
  /// The name of another option that this one requires, if any.
  var needed: String?
  let help: String

  /// The placeholder for a whole number.
  static let number = "N"

  /// The option as it is typed: with its name, or with its letter.
  var spellings: [String] { ["--\(name)"] + (letter.map { ["-\($0)"] } ?? []) }

  /// The spelling of the option in the help text.
  var synopsis: String {
    let name = spellings.reversed().joined(separator: ", ")
    let value = choices.isEmpty ? value : choices.joined(separator: "|")
    return value.map { "\(name) \($0)" } ?? name
  }

  static let format = CommandOption(
    name: "format", value: "FORMAT", choices: ["text", "json"], help: "print for people (text) or for programs (json)")
  static let color = CommandOption(
    name: "color", value: "WHEN", choices: ["auto", "always", "never"], help: "mark up text; auto: on a terminal, if NO_COLOR is not set")
  static let noPager = CommandOption(name: "no-pager", help: "on a terminal, print long text at once, not page by page with PAGER or less")
  static let quiet = CommandOption(name: "quiet", letter: "q", help: "show no progress, which else appears on a terminal after a second")
  static let help = CommandOption(name: "help", letter: "h", help: "print this help")
  static let link = CommandOption(name: "link", help: "look at a link by itself, not at the archive that its chain stands for")
  static let strict = CommandOption(
    name: "strict", help: "refuse a property list with an oddity, which Apple's own parser reads (else a note)")
  static let plumbing = CommandOption(
    name: "plumbing", help: "of a keyed archive: show all fields of fonts, colors, texts and other objects of known classes")
  static let reveal = CommandOption(name: "reveal", help: "show sensitive values")

  /// The options that name the output of a verb, which is standard output by default.
  static func output(_ name: String) -> [CommandOption] {
    let help = "write to \(name), atomically (default: standard output, also -)"
    return [
      CommandOption(name: "output", letter: "o", value: name, help: help),
      CommandOption(name: "force", needed: "output", help: "with -o: replace \(name) if it exists"),
    ]
  }
}
