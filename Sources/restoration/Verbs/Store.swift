import RestorationArchive
import RestorationInspection
import StateRestoration

/// `restoration store`: what is saved in an app's folder.
enum Store: Verb {
  static let name = "store"
  static let summary = "list the saved generations of an app, and what a launch would do now"
  static let operands = "FOLDER"
  static let operandCount = 1...1
  static let options: [CommandOption] = [
    CommandOption(name: "use", value: "GENERATION", help: "make an older generation current, by saving it again"),
    CommandOption(name: "release", value: "PATH", help: "restore a path again that was left out because it killed the app"),
    CommandOption(name: "forget", help: "remove everything that was saved"),
    CommandOption(name: "scene", value: "IDENTIFIER", help: "act on the archive of a scene; that of the app if left out"),
  ]
  static let discussion = """
    Without --use, --release or --forget nothing is changed. They need the app not to run, because one process
    writes at a time.
    """
  static let example = "restoration store ~/.local/state/notes"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let actions = ["use", "release", "forget"].filter(arguments.has)
    guard actions.count <= 1 else { throw .usage("--use, --release and --forget exclude each other") }
    let folder = arguments.operands[0]
    try expectFolder(folder)
    let archive = try archive(arguments)
    if let action = actions.first { return try act(action, archive, InputFile(name: folder), arguments, console) }
    let listing = try reading(folder) { () throws(StoreError) in
      try StoreListing(RestorationStore(folder: folder, access: .reading))
    }
    console.write(arguments.printsJSON ? listing.json : listing.text(console.style))
    return listing.isSound ? .fine : .problems
  }

  /// A folder that is not there is a mistake, and no empty store.
  private static func expectFolder(_ folder: String) throws(ToolFailure) {
    do throws(ArchiveError) {
      _ = try FileByteSource(path: folder)
    } catch {
      guard error.found != "is a directory" else { return }
      throw ToolFailure(error, file: folder)
    }
    throw ToolFailure(status: .inputOutput, message: "\(folder.escapedForDisplay): is not a directory")
  }

  private static func archive(_ arguments: CommandArguments) throws(ToolFailure) -> ArchiveName {
    guard let scene = arguments.value("scene") else { return .application }
    guard let name = ArchiveName.scene(scene) else { throw .usage("--scene: no scene can have this identifier") }
    return name
  }

  private static func act(
    _ action: String, _ archive: ArchiveName, _ folder: InputFile, _ arguments: CommandArguments, _ console: Console
  ) throws(ToolFailure) -> ExitStatus {
    let value = arguments.value(action) ?? ""
    let number = UInt64(value)
    guard action != "use" || number != nil else { throw .usage("--use: \"\(value.escapedForDisplay)\" is not the number of a generation") }
    let path = try? RestorationPath(parsing: value)
    guard action != "release" || path != nil else { throw .usage("--release: \"\(value.escapedForDisplay)\" is not a path") }
    return try reading(folder.name) { () throws(StoreError) in
      let store = try RestorationStore(folder: folder.name)
      switch action {
      case "use":
        if case .saved(let generation) = try store.use(number ?? 0, of: archive) {
          console.write("generation \(value) is current again, as \(generation.number)\n")
        } else {
          console.write("generation \(value) has the content of the current one\n")
        }
      case "release":
        guard try store.release(path ?? .application, of: archive) else {
          console.report("\(folder.displayName): \(value.escapedForDisplay) is not left out")
          return .problems
        }
        console.write("\(value.escapedForDisplay) is restored again\n")
      default:
        try store.forget()
        console.write("everything is forgotten\n")
      }
      return .fine
    }
  }

  private static func reading<Result>(
    _ folder: String, _ body: () throws(StoreError) -> Result
  ) throws(ToolFailure) -> Result {
    do throws(StoreError) {
      return try body()
    } catch {
      let isAbsence = if case .noGeneration = error { true } else { false }
      throw ToolFailure(status: isAbsence ? .problems : .inputOutput, message: "\(folder.escapedForDisplay): \(error)")
    }
  }
}
