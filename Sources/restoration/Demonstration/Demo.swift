import FoundationValues
import RestorationArchive
import RestorationInspection

/// `restoration demo`: uses and kills a notes app, which comes back each time, even after a note that crashes it.
enum Demo: Verb {
  static let name = "demo"
  static let summary = "use a small notes app, kill its process, and see it come back"
  static let operands = ""
  static let options: [CommandOption] = [
    CommandOption(name: "output", letter: "o", value: "FOLDER", help: "the folder of the app; restoration-demo if left out"),
    CommandOption(name: "force", help: "use FOLDER even if something else is in it"),
  ]
  static let hasFormats = false
  static let discussion = """
    The app is `restoration notes`, without its screen. Each run clears FOLDER first.
    """
  static let example = "restoration demo"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let folder = arguments.value("output") ?? "restoration-demo"
    guard folder != "-" else { throw .usage("--output: the app needs a folder, not standard output") }
    try clear(folder, force: arguments.has("force"))

    let first = try start(folder)
    _ = try greeting(of: first, folder)
    for command in [
      "open letter", "move 100", "type It even survives this.", "split todo", "move 12", "select 3", "new-window ideas", "open ideas",
      "scroll 1", "day 24", "theme dark",
    ] {
      try ask(first, command)
    }
    let left = try ask(first, "show")
    try ask(first, "save")
    show("1. A notes app is used. Its user types, splits, scrolls; nothing is saved explicitly.", left, console)

    first.kill()
    let second = try start(folder)
    let launch = try greeting(of: second, folder)
    let found = try ask(second, "show")
    show("2. Its process is killed (kill -9). A new process starts.", launch, console)
    guard found == left else { throw ToolFailure(status: .problems, message: "the app did not come back as it was") }
    show("   All \(found.count) lines are as they were:", Array(found.prefix(6)) + ["…"], console)

    try ask(second, "poison todo")
    second.kill()
    let third = try start(folder)
    guard third.answer() == nil, third.wait() != 0 else { throw ToolFailure(status: .problems, message: "the poison has no effect") }
    let fourth = try start(folder)
    let recovery = try greeting(of: fourth, folder)
    show(
      "3. The note todo now kills every process that restores it. One process has crashed on it; this is the next one.", recovery, console)
    let rest = try ask(fourth, "show")
    show("   Everything else is there, and the state of todo is kept for a build that can restore it:", rest, console)
    try ask(fourth, "quit")

    console.write("Do it yourself; ^Q quits, kill -9 works too:\n  swift run restoration notes \(folder.escapedForDisplay)\n")
    console.write("Look at what is saved:\n  swift run restoration store \(folder.escapedForDisplay)/state\n")
    return .fine
  }

  private static func start(_ folder: String) throws(ToolFailure) -> ChildProcess {
    try ChildProcess(arguments: [Notes.name, "--plain", "--", folder])
  }

  private static func greeting(of process: ChildProcess, _ folder: String) throws(ToolFailure) -> [String] {
    guard let lines = process.answer() else {
      throw ToolFailure(status: .inputOutput, message: "\(folder.escapedForDisplay): the app could not be started")
    }
    return lines
  }

  @discardableResult
  private static func ask(_ process: ChildProcess, _ command: String) throws(ToolFailure) -> [String] {
    guard let lines = process.ask(command) else { throw ToolFailure(status: .problems, message: "the app refused: \(command)") }
    return lines
  }

  private static func show(_ title: String, _ lines: [String], _ console: Console) {
    console.write("\(console.style.bold(title))\n")
    for line in lines { console.write("   \(line)\n") }
    console.write("\n")
  }

  /// Deletes the files of an earlier demo.
  private static func clear(_ folder: String, force: Bool) throws(ToolFailure) {
    do {
      let manager = FileManager.default
      let names = manager.fileExists(atPath: folder) ? try manager.contentsOfDirectory(atPath: folder) : []
      guard force || names.allSatisfy({ ["notes", "state"].contains($0) }) else {
        throw ToolFailure(
          status: .inputOutput, message: "\(folder.escapedForDisplay): exists, and is no folder of a demo",
          hint: "--force replaces notes and state in it")
      }
      for name in names where ["notes", "state"].contains(name) { try manager.removeItem(atPath: "\(folder)/\(name)") }
      try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch let failure as ToolFailure {
      throw failure
    } catch {
      throw ToolFailure(status: .inputOutput, message: "\(folder.escapedForDisplay): cannot be cleared")
    }
  }
}
