import RestorationArchive
import RestorationInspection

enum Apply: Verb {
  static let name = "apply"
  static let summary = "apply links to the archive before them"
  static let operands = "BASE LINK ..."
  static let options = CommandOption.output("OUT")
  static let fileCount = Int.max
  static let hasFormats = false
  static let discussion = """
    Each link names the file before it, so the order is checked. If one cannot be applied, nothing is written,
    and the status is 1, or 2 if a file is no archive.
    """
  static let example = "restoration apply -o notes.rsta monday.rsta tuesday.rsta wednesday.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    guard arguments.operands.count(where: { $0 == "-" }) < 2 else { throw .usage("only one file can be standard input") }
    var files: [[UInt8]] = []
    for name in arguments.operands { files.append(try InputFile(name: name).bytes()) }
    let chain = ArchiveChain(base: files[0], links: Array(files.dropFirst()))
    if let error = chain.error {
      // The base is read first, so a fault that no link has is its own.
      let index = chain.isBaseAtFault ? 0 : chain.appliedCount + 1
      let hint = chain.appliedCount > 0 ? "the links before it can be applied" : nil
      let file = InputFile(name: arguments.operands[index])
      throw file.failure(opening: files[index]) ?? file.problem("\(error)", hint: hint)
    }
    let output = try OutputFile(arguments, inputs: arguments.operands.map { InputFile(name: $0) }, readsCompanions: false)
    try output.expectNoTerminal(console)
    try output.write(chain.bytes, console)
    return .fine
  }
}
