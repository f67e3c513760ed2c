import ArchiveFormat
import RestorationArchive
import RestorationInspection
import SystemLibrary

/// The tool: finds the verb, runs it, exits with its status.
@main
struct Restoration {
  static let version = "1.0.0-rc"
  static let verbs: [any Verb.Type] = [
    Demo.self, Notes.self, Info.self, Tree.self, Get.self, Check.self, Convert.self, Dump.self, Salvage.self, Resolve.self, Store.self,
    Delta.self, Apply.self, Diff.self, Sizes.self, Report.self, Search.self, Browse.self,
    Completions.self, Manual.self,
  ]

  static func main() {
    // A write beyond the limit for files is then an error like any other.
    _ = signal(SIGXFSZ, SIG_IGN)
    let console = Console()
    WorkProgress.show(console.progress)
    var status: ExitStatus
    do throws(ToolFailure) {
      status = try run(arguments(), console)
    } catch {
      console.report(error.message, hint: error.hint)
      status = error.status
    }
    console.finish()
    if console.failure != 0 {
      console.report("standard output: \(console.failureText)")
      status = status.or(.inputOutput)
    }
    exit(status)
  }

  /// Returns the arguments.
  ///
  /// - Throws: A usage failure if one is not UTF-8, as the name of a file on Linux may be: as a string it names another file.
  private static func arguments() throws(ToolFailure) -> ArraySlice<String> {
    for (place, argument) in CommandLine.arguments.enumerated() where argument.unicodeScalars.contains("\u{FFFD}") {
      guard let text = unsafe CommandLine.unsafeArgv[place], unsafe String(validatingCString: text) == nil else { continue }
      let hint = "a file with such a name can be read as standard input: `restoration info - < FILE`"
      throw .usage("\(argument.escapedForDisplay): is not UTF-8", hint: hint)
    }
    return CommandLine.arguments.dropFirst()
  }

  private static func run(_ arguments: ArraySlice<String>, _ console: Console) throws(ToolFailure) -> ExitStatus {
    guard let word = arguments.first else { throw .usage("no verb given", hint: shortHelp) }
    let rest = arguments.dropFirst()
    switch word {
    case "--help", "-h": return help(console)
    case "help":
      guard let name = rest.first else { return help(console) }
      console.write(try verb(name).help)
      return .fine
    case "--version":
      console.write("restoration \(version), format \(FormatVersion.current)\n")
      return .fine
    default: return try verb(word).start(rest, console)
    }
  }

  private static func verb(_ name: String) throws(ToolFailure) -> any Verb.Type {
    if let verb = verbs.first(where: { $0.name == name }) { return verb }
    let shown = name.escapedForDisplay
    if name.hasPrefix("-") {
      throw .usage("\(shown) is no option of `restoration` itself", hint: "options come after the verb, as in `restoration tree \(shown)`")
    }
    let suggestion = Suggestion.nearest(to: name, among: verbs.map { $0.name }).map { "did you mean \($0)?" }
    let file = ByteStream.kind(ofPath: name).map { _ in "a verb comes before the file, as in `restoration info \(shown)`" }
    throw .usage("unknown verb \(shown)", hint: suggestion ?? file ?? shortHelp)
  }

  private static var shortHelp: String {
    "the verbs are \(verbs.map { $0.name }.joined(separator: ", ")); see `restoration --help`"
  }

  /// Returns a line of a help text for each row, with the second texts below each other.
  static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { "  \($0)\(String(repeating: " ", count: width - $0.count))  \($1)" }.joined(separator: "\n")
  }

  /// What FILE may be, in the help and on the manual page.
  static let inputRule = "FILE may be - for standard input. Standard input and pipes are limited to 256 MiB. Devices are refused."

  private static func help(_ console: Console) -> ExitStatus {
    console.write(
      """
      Looks into restoration archives: the preserved state of an app.

      USAGE: restoration VERB [options] FILE

      VERBS:
      \(table(verbs.map { ($0.name, $0.summary) }))

      \(inputRule)
      `restoration VERB --help` explains a verb, `--version` names the version of the tool.

      EXIT STATUS:
      \(table(ExitStatus.allCases.map { ("\($0.rawValue)", $0.meaning) }))

      """)
    return .fine
  }
}
