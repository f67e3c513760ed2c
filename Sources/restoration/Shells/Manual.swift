/// `restoration manual`: prints the manual page.
enum Manual: Verb {
  static let name = "manual"
  static let summary = "print the manual page, in the form that man reads"
  static let operands = ""
  static let operandCount = 0...0
  static let options: [CommandOption] = []
  static let hasFormats = false
  static let discussion = "The page has the help of every verb. `restoration manual > ~/.local/share/man/man1/restoration.1` installs it."
  static let example = "restoration manual | man -l -"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    console.write(ManualPage(Restoration.verbs).text)
    return .fine
  }
}
