import RestorationArchive
import StateRestoration

/// The app without a screen: one command a line, each answered by lines that end with one that begins with `ok` or
/// `error`.
@MainActor
public struct PlainNotes {
  /// The list of commands, for help texts.
  public nonisolated static let help = """
    new-window NAME   open NOTE    split NOTE    close    close-window    reopen    delete NOTE
    type TEXT   move N   scroll N   select N   day N   theme NAME   keep   discard   save
    show   offers   accept   decline   previous   crash   poison NOTE   quit
    """

  private let program: NotesProgram
  private var app: NotesApp { program.app }

  /// Creates a plain interface to a launched app.
  public init(_ program: NotesProgram) {
    self.program = program
    // The app has launched, and waits for its first command.
    program.restoration.turn()
  }

  /// The outcome of the launch.
  public var greeting: String { "\(program.status())\nok\n" }

  /// Executes a command.
  ///
  /// Its changes are captured on return. After `save` they are on disk at once, otherwise half a second later.
  ///
  /// - Returns: The answer, and whether the app continues.
  public func answer(_ line: String) -> (text: String, continues: Bool) {
    let words = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true).map(String.init)
    let (command, argument) = (words.first ?? "", words.count > 1 ? words[1] : "")
    do {
      let text = try carryOut(command, argument)
      if command != "save", command != "quit" { program.restoration.turn() }
      return (text + "ok\n", command != "quit")
    } catch {
      return ("error \(error)".replacing("\n", with: " ").escapedForDisplay + "\n", true)
    }
  }

  private func carryOut(_ command: String, _ argument: String) throws -> String {
    switch command {
    case "new-window": program.openWindow(argument.isEmpty ? "main" : argument)
    case "open": try app.open(argument, inNewPane: false)
    case "split": try app.open(argument, inNewPane: true)
    case "close": try app.closePane()
    case "close-window": try program.closeWindow()
    case "reopen": try program.reopenWindow()
    case "delete": try app.delete(argument)
    case "type": try editor().type(argument.replacing("\\n", with: "\n"))
    case "move": try editor().move(number(argument))
    case "scroll": try editor().scroll = max(number(argument), 0)
    case "select":
      let (names, number) = (app.library.names, try number(argument))
      guard let window = app.window, names.indices.contains(number - 1) else { throw NotesError("there is no note \(number) to select") }
      window.list.selected = names[number - 1]
    case "day":
      guard let calendar = app.window?.calendar else { throw NotesError("there is no calendar") }
      calendar.day = try min(max(number(argument), 1), 31)
    case "theme":
      guard NotesApp.themes.contains(argument) else { throw NotesError("the themes are \(NotesApp.themes.joined(separator: ", "))") }
      app.theme = argument
    case "keep": try editor().keepDraft()
    case "discard": try editor().draft = nil
    case "save": try program.restoration.saveNow()
    case "quit": try program.restoration.endNow()
    case "show": return show
    case "offers": return try program.restoration.offers().map { "offer \($0)\n" }.joined()
    case "accept": try program.answerOffer(accepts: true)
    case "decline": try program.answerOffer(accepts: false)
    case "previous": try program.restorePreviousSession()
    case "crash": fatalError("as commanded")
    case "poison": try app.library.poison(argument)
    default: throw NotesError("unknown command \(command.debugDescription)")
    }
    return ""
  }

  private func editor() throws -> Editor {
    guard let editor = app.editor else { throw NotesError("no pane is open") }
    return editor
  }

  private func number(_ text: String) throws -> Int {
    guard let number = Int(text), abs(number) < 1_000_000 else { throw NotesError("a number is missing") }
    return number
  }

  /// Everything that a user sees, one line each: the theme; the windows in order with list, panes and calendar; all
  /// notes by name.
  var show: String {
    var lines = ["theme \(app.theme)"]
    for window in app.windows {
      lines.append("window \(window.name)\(window === app.window ? " front" : "")")
      lines.append("  list selected \(window.list.selected.isEmpty ? "-" : window.list.selected)")
      for editor in window.panes {
        let draft = editor.draft.map { " draft \($0.debugDescription)" } ?? ""
        let front = editor === window.editor ? " front" : ""
        lines.append("  pane \(editor.note)\(front) cursor \(editor.cursor) scroll \(editor.scroll)\(draft)")
      }
      if let calendar = window.calendar { lines.append("  calendar day \(calendar.day)") }
    }
    return (lines + app.library.names.map { "note \($0)" }).map { $0.escapedForDisplay + "\n" }.joined()
  }
}
