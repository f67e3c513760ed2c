import RestorationArchive
import RestorationInspection

enum Check: Verb {
  static let name = "check"
  static let summary = "check every checksum and every rule, and list all findings"
  static let operands = "FILE ..."
  static let readsChains = true
  static let options = [
    CommandOption(
      name: "limit", value: CommandOption.number, help: "list at most N findings, and at most N lost nodes and states (default 1000)")
  ]
  static let work: String? = "checking"
  static let discussion = """
    Each finding is a line with code, offset, path and the rule of the Spec; then comes what damage costs. In a valid
    archive, references to nodes that are not there are notes. What is beyond the limit is counted. Of a store, the
    archives of the app and of all its scenes are checked. A chain is checked as far as its links can be applied, and
    the saves after that are listed as lost. In a property list, whatever only Apple's own parser reads is listed as
    odd. The status is 0 for a file without findings, 2 for one that is no archive, else 1; of several files it is the
    worst.
    """
  static let example = "restoration check *.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    var output = console
    let limit = arguments.number("limit")
    // The archives of a store are files of their own.
    let names = arguments.operands.flatMap { InputFile(name: $0, arguments).filesOfStore ?? [$0] }
    return forEachFile(named: names, arguments, console) { file throws(ToolFailure) in
      let chain = try file.resolvedChain(arguments, console, isCheck: true)
      let content = if let chain { InputContent(bytes: chain.bytes) } else { try file.content() }
      let imported = content.isImported ? try file.imported(content) : nil
      let overview = imported.map { ImportOverview($0, byteCount: content.byteCount, listingLimit: limit) }
      if names.count > 1, !arguments.printsJSON { console.write("\(console.style.bold(file.displayName)):\n") }
      if let overview {
        if arguments.printsJSON {
          overview.writeJSON(of: file.displayName, to: &output)
        } else {
          overview.writeCheck(to: &output, style: console.style)
        }
        return overview.isSound ? .fine : .problems
      }
      let report = CheckReport(content.bytes, listingLimit: limit, of: chain)
      if arguments.printsJSON {
        report.writeJSON(of: file.displayName, to: &output)
      } else {
        report.write(to: &output, style: console.style)
      }
      // The same message as other verbs give for a file that is not an archive.
      if report.isUnreadable, let failure = file.failure(opening: content.bytes) { console.report(failure.message, hint: failure.hint) }
      let status: ExitStatus = report.isUnreadable ? .unreadable : report.isValid ? .fine : .problems
      return status.or(chain?.loss.map { ExitStatus($0.error) } ?? .fine)
    }
  }
}
