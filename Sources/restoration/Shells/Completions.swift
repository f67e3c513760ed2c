import RestorationArchive

/// `restoration completions`: prints a completion script.
enum Completions: Verb {
  static let name = "completions"
  static let summary = "print a script that completes verbs and options in a shell"
  static let operands = "bash|zsh|fish"
  static let operandCount = 1...1
  static let options: [CommandOption] = []
  static let hasFormats = false
  static let discussion = """
    The scripts are generated from the tool's own tables of options. To install them:
      bash   restoration completions bash > ~/.local/share/bash-completion/completions/restoration
      zsh    restoration completions zsh > DIR/_restoration, with DIR in $fpath
      fish   restoration completions fish > ~/.config/fish/completions/restoration.fish
    """
  static let example = "source <(restoration completions bash)"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let name = arguments.operands[0]
    guard let shell = CompletionScript.Shell(rawValue: name) else {
      throw .usage("there are no completions for \(name.escapedForDisplay)", hint: "the shells are bash, zsh and fish")
    }
    console.write(CompletionScript(Restoration.verbs).text(for: shell))
    return .fine
  }
}
