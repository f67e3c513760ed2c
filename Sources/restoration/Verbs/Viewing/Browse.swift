import RestorationArchive
import RestorationBrowser
import StateRestoration
import Terminal

enum Browse: Verb {
  static let name = "browse"
  static let summary = "walk through an archive on the terminal, with keys as in less"
  static let operands = "FILE"
  static let readsChains = true
  static let options: [CommandOption] = [
    .reveal, .plumbing,
    CommandOption(name: "positions", value: "FOLDER", help: "keep the positions in FOLDER, by default in your own state folder"),
  ]
  static let hasFormats = false
  static let formatHint: String? = "browse is for people; `restoration tree` has --format json"
  static let discussion = """
    The tree is on the left, the contents of the selected node on the right. A row with ! has a finding. FILE may
    also be any other file that `restoration convert` turns into an archive.

      j k, Down Up      one row or line           Tab        to the contents and back
      f b, Space PgDn   a screen; d u half one    l h        unfold and fold, also Right Left Enter
      gg G, Home End    first and last            Enter      in the contents: follow a reference
      / n N             search names, types and   Backspace  back from a jump
                        values; /x|y/ works too   *          unfold all below
      :                 go to a path or a row     y          copy the path (OSC 52)
      ] [               next, previous finding    Ctrl-L     draw everything again
      mouse             select, fold, scroll      ? q        help, quit

    The position in each file comes back at the next start, however the last one ended.
    """
  static let example = "restoration browse notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let file = InputFile(name: arguments.operands[0], arguments, readable: true)
    guard file.name != "-" else { throw .usage("browse needs a FILE: standard input is for the keys") }
    // Damage that hides everything is reported as other verbs do, before the screen is used.
    let standIn = try file.standIn(arguments, console)
    _ = if let standIn { try file.opened(standIn.bytes) } else { try file.archiveWithImport().archive }
    let (bytes, sensitive, positions) = (standIn?.bytes, arguments.sensitive, arguments.value("positions"))
    return try onMainActor {
      try runOnScreen(hint: "`restoration tree --state` prints the same") { terminal in
        let program = try BrowserProgram(path: file.name, bytes: bytes, sensitive: sensitive, stateFolder: positions) { terminal.leave() }
        return { await program.run(on: $0) }
      }
    }
  }
}
