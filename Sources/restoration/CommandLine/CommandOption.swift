/// An option of a verb, such as `--depth N`.
struct CommandOption {
  /// The name, without dashes.
  let name: String
  /// The single letter, if there is one.
  var letter: Character?
  /// What stands for the value in the help, if the option takes one.
  var value: String?
  /// The values to choose from, if only some make sense.
  var choices: [String] = []
  /// Whether it may be given several times.
  var isRepeatable = false
  /// The name of the option without which it would do nothing, if there is one.
  var needed: String?
  /// What it does, in a few words.
  let help: String

  /// How the option is written.
  var synopsis: String {
    let name = (letter.map { "-\($0), " } ?? "") + "--\(name)"
    let value = choices.isEmpty ? value : choices.joined(separator: "|")
    return value.map { "\(name) \($0)" } ?? name
  }

  static let format = CommandOption(
    name: "format", value: "FORMAT", choices: ["text", "json"], help: "print for people (text) or for programs (json)")
  static let color = CommandOption(
    name: "color", value: "WHEN", choices: ["auto", "always", "never"], help: "mark up text; auto: on a terminal, if NO_COLOR is not set")
  static let help = CommandOption(name: "help", letter: "h", help: "print this help")
  static let reveal = CommandOption(name: "reveal", help: "show sensitive values")
}
