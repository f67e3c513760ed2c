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
  /// A short description.
  let help: String

  /// The spelling of the option in the help text.
  var synopsis: String {
    let name = (letter.map { "-\($0), " } ?? "") + "--\(name)"
    let value = choices.isEmpty ? value : choices.joined(separator: "|")
    return value.map { "\(name) \($0)" } ?? name
  }

  static let format = CommandOption(
    name: "format", value: "FORMAT", choices: ["text", "json"], help: "print for people (text) or for programs (json)")
  static let color = CommandOption(
    name: "color", value: "WHEN", choices: ["auto", "always", "never"], help: "mark up text; auto: on a terminal, if NO_COLOR is not set")
  static let noPager = CommandOption(name: "no-pager", help: "on a terminal, print long text at once, not page by page with PAGER or less")
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
