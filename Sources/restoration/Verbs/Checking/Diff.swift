import RestorationArchive
import RestorationInspection

enum Diff: Verb {
  static let name = "diff"
  static let summary = "show what differs between two archives: nodes, values, order, broken references"
  static let operands = "OLD NEW"
  static let readsChains = true
  static let options: [CommandOption] = [
    CommandOption(name: "stat", help: "show only the numbers of differences, of nodes and of bytes"),
    CommandOption(
      name: "ignore", value: "WHAT", choices: ["volatile"],
      help: "volatile: ignore time, system version and writer in the header, and how often state was carried over"),
    CommandOption(name: "path", value: "PATH", help: "compare only the node at PATH and everything below it"),
    .reveal,
  ]
  static let work: String? = "comparing"
  static let discussion = """
    OLD and NEW are archives, their JSON forms, or other files that `restoration convert` turns into archives; a
    link, or a folder with links, stands for the archive of its chain. A line begins with + for an added node or value, - for a
    removed one, ~ for a changed one, > for a moved or renamed node, ! for a reference that broke, and ? for a
    part that damage hides. A node counts as moved or renamed if its type and contents are the same; half of its
    values are enough if its identifier or parent is the same too. Nodes that were only carried over by one more
    save are counted, and not listed. For sensitive values, only the fact that they
    differ is shown.
    The status is 0 if the contents are the same and no file is damaged, else 1.
    """
  static let example = "restoration diff --ignore volatile good.rsta bad.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let files = arguments.operands.map { InputFile(name: $0, arguments) }
    guard files.contains(where: { $0.name != "-" }) else { throw .usage("only one of OLD and NEW can be standard input") }
    var options = ArchiveDifference.Options()
    options.ignoresVolatileHeader = arguments.has("ignore")
    options.sensitive = arguments.sensitive
    let inputs = [try files[0].wholeArchive(arguments, console), try files[1].wholeArchive(arguments, console)]
    let (old, new) = (try files[0].opened(inputs[0].bytes), try files[1].opened(inputs[1].bytes))
    if let path = arguments.value("path") {
      let reader = [old, new].first { reader in
        (try? reader.path(printedAs: path)).flatMap { try? reader.node(at: $0) } != nil
      }
      options.path = try RestorationPath(argument: path, "--path", in: reader ?? new)
    }
    let difference = ArchiveDifference(from: old, to: new, options: options)
    guard difference.hasOld || difference.hasNew else {
      throw ToolFailure(status: .problems, message: "neither archive has a node at \(options.path.displayText)", hint: files[1].treeHint)
    }
    var output = console
    let isStatistics = arguments.has("stat")
    if arguments.printsJSON {
      difference.writeJSON(oldName: files[0].displayName, newName: files[1].displayName, isStatistics: isStatistics, to: &output)
    } else if isStatistics {
      difference.writeStatistics(to: &output, style: console.style)
    } else {
      difference.write(to: &output, style: console.style)
    }
    var status: ExitStatus = difference.isEmpty ? .fine : .problems
    for (file, input) in zip(files, inputs) { status = status.or(input.reportProblems(of: file, console)) }
    return status
  }
}

extension RestorationPath {
  /// Parses an argument of the command line: a path, or what the tool prints for the path of a node.
  init(argument: String, _ name: String, in archive: ArchiveReader) throws(ToolFailure) {
    self = try Result { () throws(ArchiveError) in try archive.path(printedAs: argument) }.mapError {
      ToolFailure.usage("\(name): \"\(argument.escapedForDisplay)\" is not a path: expected \($0.expected)")
    }.get()
  }
}
