enum Manual: Verb {
  static let name = "manual"
  static let summary = "print the manual page, in the form that man reads"
  static let operands = ""
  static let hasFormats = false
  static let discussion = "The page has the help of every verb. `restoration manual > ~/.local/share/man/man1/restoration.1` installs it."
  static let example = "restoration manual | man -l -"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    console.write(text)
    return .fine
  }

  /// The source of the page, made from the tables of the verbs, in the macros of man(7).
  private static var text: String {
    var lines = [
      ".TH RESTORATION 1 \"\" \"restoration \(Restoration.version)\" \"User Commands\"", ".SH NAME",
      "restoration \\- look into restoration archives, the preserved state of an app", ".SH SYNOPSIS", ".B restoration",
      ".I VERB", "[options]", ".I FILE", ".SH DESCRIPTION",
      Self.escaped(Restoration.inputRule), ".SH VERBS",
    ]
    for verb in Restoration.verbs { lines += Self.lines(of: verb) }
    lines += [".SH EXIT STATUS"]
    for status in ExitStatus.allCases { lines += [".TP", ".B \(status.rawValue)", Self.escaped(status.meaning)] }
    lines += [".SH ENVIRONMENT"]
    for (name, meaning) in environment { lines += [".TP", ".B \(name)", Self.escaped(meaning)] }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let environment = [
    ("LESS", "The options of less; FRX if not set."),
    ("NO_COLOR", "If set and not empty, text is not marked up, unless --color always is given."),
    ("PAGER", "The program that shows long text on a terminal; less if not set, and none for cat."),
    ("RESTORATION_PROGRESS_DELAY", "The number of seconds before the line appears that shows how much is done; 1 if not set."),
    ("TERM", "On a terminal that is called dumb, text is not marked up, and there is no pager and no progress line."),
    ("XDG_STATE_HOME", "The folder of the stores of apps that are named by their identifiers; ~/.local/state if not set."),
  ]

  private static func lines(of verb: any Verb.Type) -> [String] {
    let usage = verb.usage.split(separator: " ").dropFirst().joined(separator: " ")
    var lines = [".SS \(escaped(verb.name))", escaped(verb.summary.prefix(1).uppercased() + verb.summary.dropFirst() + "."), ".PP"]
    lines += [".B \(escaped(usage))", ".PP"]
    // Lines are kept as they are: they may be a list.
    lines += [".nf"] + verb.discussion.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) } + [".fi"]
    for option in verb.allOptions { lines += [".TP", ".B \(escaped(option.synopsis))", escaped(option.help)] }
    lines += [".PP", "Example:", ".PP", ".nf", ".RS", escaped(verb.example), ".RE", ".fi"]
    return lines
  }

  /// Returns a line of text without meaning to the formatter: it gives one to a backslash, and to a full stop or an
  /// apostrophe at the beginning.
  private static func escaped(_ text: String) -> String {
    var escaped = text.replacing("\\", with: "\\e")
    for (character, name) in [("-", "-"), ("'", "(aq"), ("`", "(ga")] { escaped = escaped.replacing(character, with: "\\\(name)") }
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }
}
