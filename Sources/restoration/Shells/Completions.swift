import RestorationArchive
import RestorationInspection

/// `restoration completions`: prints a completion script.
enum Completions: Verb {
  static let name = "completions"
  static let summary = "print a script that completes verbs and options in a shell"
  static let operands = "bash|zsh|fish"
  static let operandCount = 1...2
  static let options = [
    CommandOption(name: "paths", help: "for the scripts: print the paths in a FILE that begin with a text, one level of them")
  ]
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
    if arguments.has("paths") { return try listPaths(in: name, arguments, console) }
    guard arguments.operands.count == 1 else { throw .usage("completions takes one shell", hint: usage) }
    guard let shell = CompletionScript.Shell(rawValue: name) else {
      throw .usage("there are no completions for \(name.escapedForDisplay)", hint: "the shells are bash, zsh and fish")
    }
    console.write(CompletionScript(Restoration.verbs).text(for: shell))
    return .fine
  }

  /// Prints the children of the node that a text leads to, whose paths begin with the text.
  private static func listPaths(in name: String, _ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let (name, start) = (try InputAddress.files([name], console)[0], arguments.operands.count > 1 ? arguments.operands[1] : "")
    let archive = try InputFile(name: name).archive(arguments, console)
    let slash = start.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.flatMap { try? archive.reader.path(printedAs: String(start[..<$0])) } ?? .application
    guard let node = try? archive.reader.node(at: parent) else { return .fine }
    node.visitChildren { child in
      guard let child = try? child.get() else { return }
      let path = child.path.description.escapedForDisplay
      if path.utf8.starts(with: start.utf8) { console.write(path + (child.childCount > 0 ? "/" : "") + "\n") }
    }
    return .fine
  }
}
