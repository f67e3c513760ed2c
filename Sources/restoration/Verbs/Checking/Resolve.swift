import RestorationArchive
import RestorationInspection
import StateRestoration

enum Resolve: Verb {
  static let name = "resolve"
  static let summary = "show which nodes a set of registrations would restore, and why it would not restore the others"
  static let operands = "FILE"
  static let readsChains = true
  static let readsImports = false
  static let options: [CommandOption] = [
    CommandOption(
      name: "register", letter: "r", value: "PATTERN", isRepeatable: true, help: "register something; may be given several times")
  ]
  static let discussion = """
    PATTERN is one of:
      root/editors/*     the nodes of a path; * is any identifier, a last ** any number of them
      type:Editor        the nodes of a type
      provider:Main      what a provider makes
      !root/welcome      a tombstone: gone on purpose
      root/a=>root/b     an alias: what was saved as root/a is now root/b
    For a node that nothing is registered for, the line to add to the resolver is shown. The status is 1 then.
    """
  static let example = "restoration resolve --register type:Scene --register 'main/**' notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    guard !arguments.values("register").contains("") else {
      throw .usage("--register: the pattern is empty", hint: "** registers every node")
    }
    let resolver = try Result { try Resolver(registrations: arguments.values("register")) }
      .mapError { ToolFailure.usage("--register: \($0)") }.get()
    let file = InputFile(name: arguments.operands[0], arguments)
    let archive = try file.archiveWithImport(arguments, console).archive
    let resolution = ArchiveResolution(of: archive, with: resolver)
    var output = console
    if arguments.printsJSON { resolution.writeJSON(to: &output) } else { resolution.write(to: &output, style: console.style) }
    let status = console.report(archive.openingErrors, of: file).or(console.report(resolution.unreadable, of: file))
    return status.or(resolution.isComplete ? .fine : .problems)
  }
}
