import RestorationArchive
import RestorationInspection

enum Dump: Verb {
  static let name = "dump"
  static let summary = "show every byte of the file with its offset and meaning"
  static let operands = "FILE"
  static let readsChains = true
  static let options: [CommandOption] = [.reveal]
  static let work: String? = "explaining"
  static let discussion = """
    The names are those of the Spec. Bytes of sensitive values are masked (··), and so are bytes that might belong
    to one: keys that are seen in no other value, damaged parts, values of unknown types, sections of other
    programs, and files that are not archives.
    """
  static let example = "restoration dump notes.rsta | less"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let file = InputFile(name: arguments.operands[0], arguments)
    let content = try file.content(arguments, console)
    let bytes = content.bytes
    let dump = ArchiveDump(bytes, sensitive: arguments.sensitive)
    var console = console
    if arguments.printsJSON { dump.writeJSON(to: &console) } else { dump.write(to: &console, style: console.style) }
    if bytes.isEmpty, content.windows != nil {
      console.report("\(file.displayName): data.data is empty", hint: "windows.plist, the other file of a saved state, has its own dump")
    }
    if content.isImported { return console.report(try file.imported(content), of: file) }
    let report = CheckReport(bytes)
    guard let first = report.check.findings.first else { return .fine }
    let failure = report.isUnreadable ? file.failure(opening: bytes) : nil
    console.report(failure?.message ?? "\(file.displayName): \(first)", hint: failure?.hint)
    return report.isUnreadable ? .unreadable : .problems
  }
}
