import RestorationArchive
import RestorationInspection

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
    guard let script = CompletionScript(rawValue: name) else {
      throw .usage("there are no completions for \(name.escapedForDisplay)", hint: "the shells are bash, zsh and fish")
    }
    console.write(script.text)
    return .fine
  }

  /// Prints the children of the node that a text leads to, whose paths begin with the text.
  private static func listPaths(in name: String, _ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let (name, start) = (try InputAddress.files([name], console)[0], arguments.operands.count > 1 ? arguments.operands[1] : "")
    let archive = try InputFile(name: name).archiveWithImport(arguments, console).archive
    let slash = start.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.flatMap { try? archive.path(printedAs: String(start[..<$0])) } ?? .application
    guard let node = try? archive.node(at: parent) else { return .fine }
    node.visitChildren { child in
      guard let child = try? child.get() else { return }
      let path = child.path.description.escapedForDisplay
      if path.utf8.starts(with: start.utf8) { console.write(path + (child.childCount > 0 ? "/" : "") + "\n") }
    }
    return .fine
  }
}

/// The completion scripts of the tool, made from the tables of its verbs.
///
/// A verb completes to its options, an option with choices to those, the first operand of `get` and the value of `--path`
/// to paths of nodes, and everything else to file names.
enum CompletionScript: String {
  case bash, zsh, fish

  var text: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  private static let names = Restoration.verbs.map { $0.name }.joined(separator: " ")

  // MARK: bash

  private static var bashScript: String {
    """
    # Completions of restoration for bash, made by `restoration completions bash`.
    _restoration() {
      local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
      local options="" path="" index line word IFS=$' \\t\\n'
      COMPREPLY=()
      if [[ $COMP_CWORD -eq 1 ]]; then
        COMPREPLY=($(compgen -W "\(names) help --help --version" -- "$current"))
        return
      fi
      case "${COMP_WORDS[1]}" in
    \(Restoration.verbs.map(Self.bashCase).joined(separator: "\n"))
        help) COMPREPLY=($(compgen -W "\(names)" -- "$current")); return ;;
      esac
      if [[ $current == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$current"))
        return
      fi
      # A name is a line, and may have spaces.
      IFS=$'\\n'
      if [[ $previous == --path ]]; then
        for (( index = 2; index < COMP_CWORD - 1; index++ )); do
          if [[ -e ${COMP_WORDS[index]} ]]; then path="${COMP_WORDS[index]}"; fi
        done
      elif [[ ${COMP_WORDS[1]} == get && -e $previous ]]; then
        path="$previous"
      fi
      if [[ -n $path ]]; then
        compopt -o nospace 2> /dev/null
        # Bash inserts a reply as it is, and an identifier may be a command. Behind a quote that is still open, a name is offered
        # only if it means itself there.
        local open=""
        if [[ ${current//\\\\?/} == *[\\'\\"]* ]]; then
          open=1 word=${current#[\\'\\"]}
        else
          IFS= read word <<< "$current"
        fi
        while IFS= read -r line; do
          if [[ -z $open ]]; then
            COMPREPLY+=("$(printf %q "$line")")
          elif [[ $line != *[\\'\\"\\$\\`\\\\!]* ]]; then
            COMPREPLY+=("$line")
          fi
        done < <("${COMP_WORDS[0]}" completions --paths "$path" "$word" 2> /dev/null)
      else
        # Bash 3.2 has no compopt, and would insert the name of a file without quotes.
        compopt -o filenames 2> /dev/null
        while IFS= read -r line; do
          if (( BASH_VERSINFO[0] < 4 )); then line="$(printf %q "$line")"; fi
          COMPREPLY+=("$line")
        done < <(compgen -f -- "$current")
      fi
    }
    complete -F _restoration restoration

    """
  }

  private static func bashCase(_ verb: any Verb.Type) -> String {
    var lines = ["    \(verb.name))", "      options=\"\(verb.allOptions.flatMap(\.spellings).joined(separator: " "))\""]
    let withChoices = verb.allOptions.filter { !$0.choices.isEmpty }
    if !withChoices.isEmpty {
      lines.append("      case \"$previous\" in")
      for option in withChoices {
        let words = option.choices.joined(separator: " ")
        lines.append(
          "        \(option.spellings.joined(separator: "|"))) COMPREPLY=($(compgen -W \"\(words)\" -- \"$current\")); return ;;")
      }
      lines.append("      esac")
    }
    if let words = operandWords(of: verb) {
      lines.append(
        "      if [[ $current != -* ]]; then COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$current\")); return; fi")
    }
    lines.append("      ;;")
    return lines.joined(separator: "\n")
  }

  /// Returns the words that a verb takes as operands, if they are not names of files.
  private static func operandWords(of verb: any Verb.Type) -> [String]? {
    let words = verb.operands.split(separator: "|").map(String.init)
    return words.count > 1 && !verb.operands.contains(" ") ? words : nil
  }

  // MARK: zsh

  private static var zshScript: String {
    """
    #compdef restoration
    # Completions of restoration for zsh, made by `restoration completions zsh`. compadd quotes what it inserts.
    _restoration_paths() {
      local -a paths
      local word
      for word in "${(@Q)words}"; do
        if [[ -e $word ]]; then paths=("${(@f)$(restoration completions --paths "$word" "$PREFIX" 2> /dev/null)}"); break; fi
      done
      compadd -S '' -- "${paths[@]}"
    }
    _restoration() {
      local -a verbs
      verbs=(
    \(Restoration.verbs.map { "    '\($0.name):\(Self.quoted($0.summary))'" }.joined(separator: "\n"))
      )
      if (( CURRENT == 2 )); then
        _describe 'verb' verbs
        return
      fi
      local verb="$words[2]"
      shift words
      (( CURRENT-- ))
      case "$verb" in
    \(Restoration.verbs.map(Self.zshCase).joined(separator: "\n"))
        help) _describe 'verb' verbs ;;
      esac
    }
    _restoration "$@"

    """
  }

  private static func zshCase(_ verb: any Verb.Type) -> String {
    var specifications: [String] = []
    for option in verb.allOptions {
      let help = quoted(option.help).replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
      for spelling in option.spellings {
        let value =
          option.choices.isEmpty
          ? option.value.map { ":\($0):\(option.name == "path" ? "_restoration_paths" : "_files")" }
          : ":\(option.name):(\(option.choices.joined(separator: " ")))"
        specifications.append("'\(option.isRepeatable ? "*" : "")\(spelling)[\(help)]\(value ?? "")'")
      }
    }
    if verb.name == "get" { specifications += ["'1:file:_files'", "'2:path:_restoration_paths'"] }
    let operands = operandWords(of: verb).map { "'*:operand:(\($0.joined(separator: " ")))'" } ?? "'*:file:_files'"
    return "    \(verb.name))\n      _arguments \\\n        \((specifications + [operands]).joined(separator: " \\\n        "))\n      ;;"
  }

  // MARK: fish

  private static var fishScript: String {
    let uses = "__fish_use_subcommand"
    var lines = ["# Completions of restoration for fish, made by `restoration completions fish`."]
    for verb in Restoration.verbs {
      lines.append("complete -c restoration -n \(uses) -f -a \(verb.name) -d '\(Self.quoted(verb.summary))'")
    }
    lines.append("complete -c restoration -n \(uses) -f -a help -d 'explain a verb'")
    // Fish quotes what it inserts of the lines that a command prints.
    let paths =
      "(restoration completions --paths (for word in (commandline -opc); test -e $word; and echo $word; and break; end) (commandline -ct) 2> /dev/null)"
    lines.append("complete -c restoration -n '__fish_seen_subcommand_from get; and test (count (commandline -opc)) -gt 2' -f -a '\(paths)'")
    for verb in Restoration.verbs {
      let condition = "-n '__fish_seen_subcommand_from \(verb.name)'"
      if let words = Self.operandWords(of: verb) {
        lines.append("complete -c restoration \(condition) -f -a '\(words.joined(separator: " "))'")
      }
      for option in verb.allOptions {
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let value =
          option.value == nil
          ? ""
          : option.name == "path"
            ? " -x -a '\(paths)'" : option.choices.isEmpty ? " -r" : " -x -a '\(option.choices.joined(separator: " "))'"
        lines.append("complete -c restoration \(condition) -l \(option.name)\(letter)\(value) -d '\(Self.quoted(option.help))'")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns text for use within single quotes of any of the shells.
  private static func quoted(_ text: String) -> String { text.replacing("'", with: "’") }
}
