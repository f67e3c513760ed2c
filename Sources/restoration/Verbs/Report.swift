import RestorationArchive
import RestorationInspection
import StateRestoration

/// `restoration report`: makes a page that shows an archive, or all generations of a store.
enum Report: Verb {
  static let name = "report"
  static let summary = "make one HTML page that shows an archive, or an app's saved generations"
  static let operands = "PATH"
  static let operandCount = 1...1
  static let options: [CommandOption] = [
    CommandOption(name: "output", letter: "o", value: "PAGE", help: "write to PAGE, whole or not at all; standard output if left out or -"),
    CommandOption(name: "force", needed: "output", help: "with -o: replace PAGE if it exists"),
    CommandOption(name: "reveal", help: "put sensitive values into the page"),
  ]
  static let hasFormats = false
  static let work: String? = "making the page"
  static let formatHint: String? = "a report is a page for people; the other verbs have --format json"
  static let discussion = """
    PATH is an archive, or the folder of an app's saved generations. The page needs no network and no other
    file: it holds the archive and shows its tree, values, sizes and findings; of a folder all generations, each
    with its difference from the one before. Sensitive values are not in the page. The status is 1 if there are
    findings.
    """
  static let example = "restoration report -o report.html notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let input = InputFile(name: arguments.operands[0])
    let output = OutputFile(name: arguments.value("output") ?? "-", canReplace: arguments.has("force"))
    guard !(output.isStandardOutput && console.isTerminal) else {
      throw .usage("a page is not for a terminal", hint: "-o PAGE writes it to a file")
    }
    let report = try isFolder(input) ? store(input, arguments.sensitive) : file(input, arguments.sensitive)
    var isSound = true
    try output.write(console) { write throws(ArchiveError) in isSound = try report.write(write) }
    if !isSound { console.report("\(input.displayName): the page lists what is wrong") }
    return isSound ? .fine : .problems
  }

  private static func isFolder(_ input: InputFile) -> Bool {
    guard input.name != "-" else { return false }
    do throws(ArchiveError) {
      _ = try FileByteSource(path: input.name)
      return false
    } catch {
      return error.found == "is a directory"
    }
  }

  private static func file(_ input: InputFile, _ sensitive: SensitiveValues) throws(ToolFailure) -> ArchiveReport {
    let bytes = try input.bytes()
    if let failure = input.failure(opening: bytes) { throw failure }
    let item = ArchiveReport.Item(name: input.displayName) { () throws(ArchiveError) in bytes }
    return ArchiveReport(title: input.displayName, [item], sensitive: sensitive)
  }

  private static func store(_ input: InputFile, _ sensitive: SensitiveValues) throws(ToolFailure) -> ArchiveReport {
    let listing: StoreListing
    do throws(StoreError) {
      listing = try StoreListing(RestorationStore(folder: input.name, access: .reading))
    } catch {
      throw ToolFailure(status: .inputOutput, message: "\(input.displayName): \(error)")
    }
    guard !listing.archives.isEmpty else {
      throw ToolFailure(status: .problems, message: "\(input.displayName): nothing is saved in this folder")
    }
    return listing.report(title: input.displayName, folder: input.name, sensitive: sensitive)
  }
}
