import RestorationArchive
import RestorationInspection

enum Info: Verb {
  static let name = "info"
  static let summary = "show header, format version, counts, sizes, content digest and integrity"
  static let operands = "FILE"
  static let readsChains = true
  static let work: String? = "checking"
  static let discussion = "The whole file is checked. A damaged archive is shown as far as it can be read; the status is then 1."
  static let example = "restoration info notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let file = InputFile(name: arguments.operands[0], arguments)
    let content = try file.content(arguments, console)
    if content.isImported {
      let imported = try file.imported(content)
      let overview = ImportOverview(imported, byteCount: content.byteCount)
      var output = console
      if arguments.printsJSON { overview.writeJSON(to: &output) } else { console.write(overview.text(console.style)) }
      return console.report(imported, of: file)
    }
    do throws(ArchiveError) {
      var overview = try ArchiveOverview(content.bytes)
      overview.quarantined = file.quarantine
      console.write(arguments.printsJSON ? overview.json : overview.text(console.style))
      guard let first = overview.findings.first else { return .fine }
      console.report("\(file.displayName): \(first)")
      return .problems
    } catch {
      throw ToolFailure(error, file: file.displayName, content: content.bytes)
    }
  }
}
