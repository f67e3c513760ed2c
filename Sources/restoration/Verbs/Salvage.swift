import RestorationArchive
import RestorationInspection

/// `restoration salvage`: rescues what is left of a damaged archive.
enum Salvage: Verb {
  static let name = "salvage"
  static let summary = "rescue what is left of a damaged archive, and list exactly what is not"
  static let operands = "FILE"
  static let operandCount = 1...1
  static let options: [CommandOption] = [
    CommandOption(name: "output", letter: "o", value: "OUT", help: "write the rescued archive to OUT, whole or not at all"),
    CommandOption(name: "force", help: "replace OUT if it exists"),
  ]
  static let discussion = """
    Nothing is invented or altered: what no checksum vouches for is left out and listed. Nodes whose parents are
    lost stand under "lost-and-found". Without -o only the report is printed. If nothing can be verified, nothing
    is written. The status is 0 if nothing was wrong with the file, else 1.
    """
  static let example = "restoration salvage damaged.rsta -o rescued.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let file = InputFile(name: arguments.operands[0])
    let bytes = try file.bytes()
    let salvage = ArchiveSalvage(bytes)
    if let archive = salvage.archive, let output = arguments.value("output") {
      try OutputFile(name: output, canReplace: arguments.has("force")).write([UInt8](archive))
    }
    var output = console
    if arguments.printsJSON {
      salvage.writeReportJSON(to: &output)
    } else {
      for line in salvage.report { console.write(line + "\n") }
    }
    guard salvage.archive != nil else {
      console.report("\(file.displayName): nothing can be rescued")
      return .problems
    }
    guard salvage.isComplete, salvage.faults.isEmpty else { return .problems }
    // A file can break rules at no cost: salvage mends that, and has nothing to tell of it.
    guard ArchiveCheck(bytes).isValid else {
      console.report(
        "\(file.displayName): breaks rules of the format, though nothing was lost",
        hint: "`restoration check \(file.name.escapedForDisplay)` lists what is wrong")
      return .problems
    }
    return .fine
  }
}
