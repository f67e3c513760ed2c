import RestorationArchive
import RestorationInspection
import StateRestoration

/// `restoration report`: makes a page that shows an archive, or all generations of a store.
enum Report: Verb {
  static let name = "report"
  static let summary = "make one HTML page that shows an archive, or an app's saved generations"
  static let operands = "PATH"
  static let operandCount = 1...1
  static let readsChains = true
  static let options: [CommandOption] = [
    CommandOption(name: "output", letter: "o", value: "PAGE", help: "write to PAGE, atomically (default: standard output, also -)"),
    CommandOption(name: "force", needed: "output", help: "with -o: replace PAGE if it exists"),
    CommandOption(name: "reveal", help: "put sensitive values into the page"), .plumbing,
  ]
  static let hasFormats = false
  static let work: String? = "making the page"
  static let formatHint: String? = "a report is a page for people; the other verbs have --format json"
  static let discussion = """
    PATH is an archive, another file that `restoration convert` turns into one, or the folder of an app's saved
    generations. The page needs no network and no other file: it holds the archive and shows its tree, values,
    sizes and findings; for a folder, all generations, each with its difference from the one before. Sensitive
    values are not in the page unless --reveal is given. The status is 1 if there are findings.
    """
  static let example = "restoration report -o report.html notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let input = InputFile(name: arguments.operands[0], arguments, readable: true)
    let output = try OutputFile(arguments, inputs: [input])
    guard !(output.isStandardOutput && console.isTerminal) else {
      throw .usage("a page is not for a terminal", hint: "-o PAGE writes it to a file")
    }
    let isStore = isFolder(input) && !input.isStateFolder
    let whole = try isStore ? nil : input.wholeArchive(arguments, console)
    let report: ArchiveReport
    if let whole { report = try file(input, whole, arguments.sensitive) } else { report = try store(input, arguments.sensitive) }
    var isSound = true
    try output.write(console) { write throws(ArchiveError) in isSound = try report.write(write) }
    if !isSound { console.report("\(input.displayName): the page lists what is wrong") }
    return console.report(whole?.imported, of: input).or(isSound ? .fine : .problems)
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

  private static func file(
    _ input: InputFile, _ whole: WholeArchive, _ sensitive: SensitiveValues
  ) throws(ToolFailure) -> ArchiveReport {
    if let failure = input.failure(opening: whole.bytes) { throw failure }
    let item = ArchiveReport.Item(name: input.displayName) { () throws(ArchiveError) in whole.bytes }
    return ArchiveReport(title: input.displayName, [item], sensitive: sensitive)
  }

  private static func store(_ input: InputFile, _ sensitive: SensitiveValues) throws(ToolFailure) -> ArchiveReport {
    let (listing, isOther): (StoreListing, Bool)
    do throws(StoreError) {
      let store = try RestorationStore(folder: input.name, access: .reading)
      (listing, isOther) = (try StoreListing(store), try store.hasForeignFilesAlone())
    } catch {
      throw ToolFailure(status: .inputOutput, message: "\(input.displayName): \(error)")
    }
    guard !isOther else { throw Store.absence(in: input.name) }
    guard !listing.archives.isEmpty else {
      throw ToolFailure(status: .problems, message: "\(input.displayName): nothing is saved in this folder")
    }
    return listing.report(title: input.displayName, folder: input.name, sensitive: sensitive)
  }
}
