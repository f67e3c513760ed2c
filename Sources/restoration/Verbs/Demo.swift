#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive
import RestorationDemonstration
import RestorationInspection

/// `restoration demo`: a small app is saved, killed, and comes back.
enum Demo: Verb {
  static let name = "demo"
  static let summary = "save a small notes app, kill its process, and restore it in another"
  static let operands = ""
  static let operandCount = 0...0
  static let options: [CommandOption] = [
    CommandOption(name: "output", letter: "o", value: "FILE", help: "keep the archive in FILE; restoration-demo.rsta if left out"),
    CommandOption(name: "force", help: "replace FILE even if it is no archive of a demo"),
  ]
  static let hasFormats = false
  static let discussion = """
    The app is a real one, without a screen: its objects, what they encode and the resolver are in
    Sources/RestorationDemonstration.
    """
  static let example = "restoration demo"

  /// What the archive says about who wrote it.
  private static let writer = "restoration demo"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let file = arguments.value("output") ?? "restoration-demo.rsta"
    guard file != "-" else { throw .usage("--output: the app saves into a file, not to standard output") }
    // The stages are this program in processes of their own. The command line does not tell them apart, because a user who began one there
    // would have a file written over, and a process that waits to be killed.
    if let stage = ChildProcess.task { return try run(stage, file, console) }
    guard arguments.has("force") || isReplaceable(file) else {
      throw ToolFailure(
        status: .inputOutput, message: "\(file.escapedForDisplay): exists, and is no archive of a demo", hint: "--force replaces it")
    }
    let saving = try ChildProcess(task: "save", arguments: [name, "--output", file])
    let saved = saving.read()
    saving.kill()
    saving.wait()
    guard !saved.isEmpty else { throw ToolFailure(status: .inputOutput, message: "\(file.escapedForDisplay): the app could not save") }
    show("1. A small notes app is running, and saves its state.", saved, console)
    show("2. Its process is killed (SIGKILL). A new process restores it.", try restored(from: file), console)
    console.write("The archive is \(file.escapedForDisplay). Try:\n")
    for command in ["tree --state", "info", "resolve --register type:Editor"] {
      console.write("  swift run restoration \(command) \(file.escapedForDisplay)\n")
    }
    return .fine
  }

  private static func restored(from file: String) throws(ToolFailure) -> String {
    let restoring = try ChildProcess(task: "restore", arguments: [name, "--output", file])
    let text = restoring.read()
    guard restoring.wait() else {
      throw ToolFailure(status: .problems, message: "\(file.escapedForDisplay): the app could not be restored")
    }
    return text
  }

  private static func show(_ title: String, _ text: String, _ console: Console) {
    console.write("\(console.style.bold(title))\n")
    for line in text.split(separator: "\n") { console.write("   \(line)\n") }
    console.write("\n")
  }

  /// Whether nothing stands at the path but an archive of an earlier demo.
  private static func isReplaceable(_ file: String) -> Bool {
    do throws(ArchiveError) {
      return try ArchiveReader(contentsOfFile: file).header.writer == writer
    } catch {
      return error.kind == .inputOutput && error.found == "no such file or directory"
    }
  }

  // MARK: Stages

  private static func run(_ stage: String, _ file: String, _ console: Console) throws(ToolFailure) -> ExitStatus {
    do {
      switch stage {
      case "save":
        // A fixed time, so that every demo makes the same archive.
        console.write("\(try NotesDemonstration.save(toFile: file, now: Date(timeIntervalSinceReferenceDate: 816_901_200)))")
        console.write(bytes: [0])
        console.flush()
        waitToBeKilled()
      case "restore":
        console.write("\(try NotesDemonstration.restore(fromFile: file))")
        return .fine
      default: throw ToolFailure.usage("there is no stage \(stage.escapedForDisplay)")
      }
    } catch let failure as ToolFailure {
      throw failure
    } catch {
      throw ToolFailure(status: .problems, message: "\(file.escapedForDisplay): \(error)")
    }
  }
}
