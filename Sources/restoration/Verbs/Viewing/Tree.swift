import RestorationInspection
import StateRestoration

enum Tree: Verb {
  static let name = "tree"
  static let summary = "show the nodes by their paths, with types"
  static let operands = "FILE"
  static let readsChains = true
  static let options: [CommandOption] = [
    CommandOption(name: "depth", value: CommandOption.number, help: "show N levels"),
    CommandOption(name: "sizes", help: "show the bytes of state of each node, and of all below it"),
    CommandOption(name: "state", help: "show the state of each node"),
    .plumbing,
    CommandOption(name: "reveal", needed: "state", help: "with --state: show sensitive values"),
  ]
  static let work: String? = "reading"
  static let discussion = """
    Children are in saved order. Each identifier is followed by its type and schema version. Nodes in a damaged
    part are marked as lost; the status is then 1. In a store, nodes that a launch leaves out are marked too, and with
    --state references to nodes that are not there.
    """
  static let example = "restoration tree --state --depth 2 notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let file = InputFile(name: arguments.operands[0], arguments, readable: !arguments.printsJSON)
    var options = PathTree.Options()
    options.depth = arguments.number("depth")
    options.showsSizes = arguments.has("sizes")
    options.showsState = arguments.has("state")
    options.sensitive = arguments.sensitive
    options.style = console.style
    options.quarantined = Set(file.quarantine.map(\.path))
    let (archive, imported) = try file.archiveWithImport(arguments, console)
    var tree = PathTree(archive, options: options)
    var console = console
    if arguments.printsJSON { tree.writeJSON(to: &console) } else { tree.write(to: &console) }
    return console.report(archive.openingErrors + tree.errors, of: file).or(console.report(imported, of: file))
  }
}
