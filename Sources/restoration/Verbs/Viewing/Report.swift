import KeyedArchive
import RestorationArchive
import RestorationInspection
import StateRestoration

enum Report: Verb {
  static let name = "report"
  static let summary = "make one HTML page that shows an archive, an app's saved generations, or two of either"
  static let operands = "PATH [NEW]"
  static let readsChains = true
  static let options =
    CommandOption.output("PAGE") + [CommandOption(name: "reveal", help: "put sensitive values into the page"), .plumbing]
  static let hasFormats = false
  static let work: String? = "making the page"
  static let formatHint: String? = "a report is a page for people; the other verbs have --format json"
  static let discussion = """
    PATH is an archive, another file that `restoration convert` turns into one, or the folder of an app's saved
    generations. The page needs no network and no other file: it shows the tree, values, sizes and findings; for a
    folder, all saves on a time line, each with what it changed, and any two compared. With NEW, the page begins with
    the difference between the two. Sensitive values are not in the page unless --reveal is given. The status is 1 if
    there are findings.
    """
  static let example = "restoration report -o report.html notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let inputs = arguments.operands.map { InputFile(name: $0, arguments, readable: true) }
    guard inputs.count(where: { $0.name == "-" }) < 2 else { throw .usage("only one of PATH and NEW can be standard input") }
    let output = try OutputFile(arguments, inputs: inputs)
    guard !(output.isStandardOutput && console.isTerminal) else {
      throw .usage("a page is not for a terminal", hint: "-o PAGE writes it to a file")
    }
    let titles = titles(of: inputs)
    var report = ArchiveReport(title: titles.joined(separator: " and "), sensitive: arguments.sensitive)
    var first: [Int] = []
    var status = ExitStatus.fine
    for (input, title) in zip(inputs, titles) {
      let start = report.items.count
      if isStore(input) {
        let listing = try store(input)
        report.items += listing.reportItems(folder: input.name, title: inputs.count > 1 ? title : "")
        report.quarantine += listing.reportQuarantine(title: inputs.count > 1 ? title : "")
        report.notes += listing.reportNotes
        report.alarms += listing.reportAlarms
        // The archive that was saved last, and its newest save.
        let group = report.items[start...].first?.group
        first.append(report.items[start...].lastIndex { $0.group == group } ?? start)
      } else {
        let whole = try input.wholeArchive(arguments, console)
        report.items.append(try item(input, whole, title: title))
        first.append(start)
        status = status.or(console.report(whole.imported, of: input))
      }
    }
    if first.count == 2 { report.comparison = (first[0], first[1]) }
    var isSound = true
    try output.write(console) { write throws(ArchiveError) in isSound = try report.write(write) }
    if !isSound { console.report("\(inputs[0].displayName): the page lists what is wrong") }
    return status.or(isSound ? .fine : .problems)
  }

  /// The last components of the paths: the others may name a person, and the page is sent to others.
  private static func titles(of inputs: [InputFile]) -> [String] {
    let names = inputs.map { input in
      input.name == "-" ? input.displayName : String(input.name.split(separator: "/").last ?? "/").escapedForDisplay
    }
    return names.count == 2 && names[0] == names[1] ? ["\(names[0]) (old)", "\(names[1]) (new)"] : names
  }

  /// Whether the input is a folder other than a saved state or a chain.
  private static func isStore(_ input: InputFile) -> Bool {
    guard input.name != "-", ByteStream.kind(ofPath: input.name) == .folder, !input.isStateFolder else { return false }
    return GenerationAddress.store(in: input.name) != nil || (try? ChainFiles(inFolder: input.name)) == nil
  }

  private static func item(_ input: InputFile, _ whole: WholeArchive, title: String) throws(ToolFailure) -> ArchiveReport.Item {
    _ = try input.opened(whole.bytes)
    var item = ArchiveReport.Item(name: title) { () throws(ArchiveError) in whole.bytes }
    item.imported = whole.imported
    item.form = whole.imported.map(\.source.words) ?? (whole.isConverted ? "the JSON form of an archive" : nil)
    item.sourceByteCount = whole.sourceByteCount
    return item
  }

  private static func store(_ input: InputFile) throws(ToolFailure) -> StoreListing {
    let listing = try Store.withStore(input.name) { store throws(StoreError) in try StoreListing(store) }
    try Store.expectStore(input.name)
    guard !listing.archives.isEmpty else { throw input.problem("nothing is saved in this folder") }
    return listing
  }
}
