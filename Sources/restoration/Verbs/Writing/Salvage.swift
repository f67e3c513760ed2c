import KeyedArchive
import RestorationArchive
import RestorationInspection

enum Salvage: Verb {
  static let name = "salvage"
  static let summary = "rescue the intact content of a damaged archive, and list everything that is lost"
  static let operands = "FILE"
  static let readsChains = true
  static let readsImports = false
  static let options: [CommandOption] = [
    CommandOption(
      name: "output", letter: "o", value: "OUT", help: "write the rescued archive to OUT, atomically; - for standard output"),
    CommandOption(name: "force", needed: "output", help: "with -o: replace OUT if it exists"),
  ]
  static let work: String? = "salvaging"
  static let discussion = """
    Nothing is invented or altered: what no checksum verifies is left out and listed. Nodes with lost parents
    are placed under "lost-and-found". Without -o only the report is printed; with -o - it goes to standard error.
    If nothing can be verified, nothing is written. A chain is rescued up to the last save before a damaged link.
    If its base is damaged, what its links hold is added to what is left of the base. Of a property list or keyed archive the objects that are whole are
    rescued, also without its offset table; a record of the class $lost is in the place of an object that is not.
    The status is 0 if nothing was wrong with the file, 2 if it is no archive, else 1.
    """
  static let example = "restoration salvage damaged.rsta -o rescued.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let file = InputFile(name: arguments.operands[0], arguments)
    let output = try arguments.has("output") ? OutputFile(arguments, inputs: arguments.operands.map { InputFile(name: $0) }) : nil
    try output?.expectNoTerminal(console)
    let chain = try file.resolvedChain(arguments, console)
    let content = if let chain { InputContent(bytes: chain.bytes) } else { try file.content() }
    if content.isImported { return try salvage(content, of: file, to: output, arguments, console) }
    let bytes = content.bytes
    let salvage = ArchiveSalvage(bytes, followedBy: chain?.unapplied.map(\.link) ?? [])
    let loss = chain?.loss(afterAdding: salvage.appliedLinkCount)
    if let archive = salvage.archive { try output?.write([UInt8](archive), console) }
    var stream = reportStream(beside: output, console)
    if arguments.printsJSON {
      salvage.writeReportJSON(without: loss, to: &stream)
    } else {
      let remedy = output == nil ? "-o OUT writes the archive to OUT" : nil
      salvage.writeReport(without: loss, unwritten: remedy, to: &stream)
    }
    return status(of: salvage, bytes, file, console).or(loss.map { ExitStatus($0.error) } ?? .fine)
  }

  /// Rescues the content of a property list or a saved state.
  private static func salvage(
    _ content: InputContent, of file: InputFile, to output: OutputFile?, _ arguments: CommandArguments, _ console: Console
  ) throws(ToolFailure) -> ExitStatus {
    let imported = try Result { () throws(KeyedArchiveError) in try content.imported(.salvage, readable: false) }.mapError {
      ToolFailure(status: .unreadable, message: "\(file.displayName): nothing could be rescued: \($0)")
    }.get()
    try file.expectContent(of: imported, "could be rescued")
    try output?.write(file.encoded(imported), console)
    let overview = ImportOverview(imported, byteCount: content.byteCount)
    var stream = reportStream(beside: output, console)
    if arguments.printsJSON {
      overview.writeJSON(of: file.displayName, to: &stream)
    } else {
      overview.writeCheck(to: &stream, style: console.style)
    }
    return overview.isSound ? .fine : .problems
  }

  /// Returns the stream for the report: the archive may go to standard output.
  private static func reportStream(beside output: OutputFile?, _ console: Console) -> any TextOutputStream {
    output?.isStandardOutput == true ? StandardError(console: console) : console
  }

  private static func status(
    of salvage: ArchiveSalvage, _ bytes: [UInt8], _ file: InputFile, _ console: Console
  ) -> ExitStatus {
    guard salvage.archive != nil else {
      let failure = file.failure(opening: bytes)
      let reason = salvage.failure.map { ": \($0)" } ?? ""
      let hint = salvage.failure?.code == .unresolvedLink ? InputFile.linkHint : failure?.hint
      console.report("\(file.displayName): nothing could be rescued\(reason)", hint: hint)
      return failure?.status ?? .problems
    }
    guard salvage.isComplete, salvage.faults.isEmpty else { return .problems }
    // A file can break rules without loss of data. Salvage repairs it and reports nothing.
    guard ArchiveCheck(bytes).isValid else {
      console.report(
        "\(file.displayName): breaks rules of the format, though nothing was lost",
        hint: "`restoration check \(file.name.escapedForDisplay)` lists what is wrong")
      return .problems
    }
    return .fine
  }
}
