import FoundationValues
import RestorationNotes
import StateRestoration
import Terminal

enum Notes: Verb {
  static let name = "notes"
  static let summary = "a notes app for the terminal that comes back, however it ends"
  static let operands = "[FOLDER]"
  static let options: [CommandOption] = [
    CommandOption(name: "plain", help: "no screen: read one command per line from standard input; each answer ends with ok or error"),
    CommandOption(name: "without-plugin", help: "leave out the plug-in with the calendar; its state is kept"),
    CommandOption(name: "build", value: "BUILD", help: "run as this build, for trying updates and downgrades; 1 if left out"),
    CommandOption(name: "safe-mode", help: "restore nothing automatically, and offer the saved state"),
  ]
  static let hasFormats = false
  static let discussion = """
    FOLDER contains the notes as text files, and the saved state in `state`. By default it is
    restoration-notes/restoration in XDG_STATE_HOME, or in ~/.local/state.
    On the screen: Tab selects a note, ^O opens it, ^P opens it in a second pane, ^W closes the pane, ^N opens a window, ^F goes to the next,
    ^T changes the theme, ^S saves the draft to the note, ^A accepts and ^D declines what is offered, ^G shows the keys, ^Q quits,
    ^R restores the previous session, ^K closes the window, ^U reopens the one that was closed last.
    The source is in Sources/RestorationNotes.

    PLAIN COMMANDS:
    \(PlainNotes.help)
    `show` prints one line for each of: the theme; each window in its order, with list, panes (cursor, scroll, draft) and calendar; all notes by name.
    """
  static let example = "restoration notes"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    var options = NotesOptions(folder: arguments.operands.first)
    options.hasCalendar = !arguments.has("without-plugin")
    options.build = arguments.value("build") ?? options.build
    options.isSafeMode = arguments.has("safe-mode")
    let isPlain = arguments.has("plain")
    return try onMainActor {
      if isPlain { return try runPlain(options) }
      try runOnScreen(hint: "--plain reads commands instead") { terminal in
        let program = try NotesProgram(options) { terminal.leave() }
        return { await program.run(on: $0) }
      }
    }
  }

  @MainActor
  private static func runPlain(_ options: NotesOptions) throws -> ExitStatus {
    let console = Console()
    let notes: PlainNotes
    do {
      notes = PlainNotes(try NotesProgram(options))
    } catch {
      console.write("error \(words(of: error))\n")
      console.flush()
      throw error
    }
    console.write(notes.greeting)
    console.flush()
    while let line = readLine() {
      let (text, continues) = notes.answer(line)
      console.write(text)
      console.flush()
      if !continues { return .fine }
    }
    _ = notes.answer("quit")
    return .fine
  }
}
