import RestorationArchive
import RestorationInspection
import StateRestoration

enum Sizes: Verb {
  static let name = "sizes"
  static let summary = "show where the bytes of an archive go, and hold it to a budget"
  static let operands = "FILE ..."
  static let readsChains = true
  static let options: [CommandOption] = [
    CommandOption(
      name: "by", value: "VIEW", choices: ArchiveSizes.View.allCases.map(\.rawValue), isRepeatable: true,
      help: "show only this view; may be given several times"),
    CommandOption(name: "depth", value: CommandOption.number, help: "in the view by path, show at most N levels"),
    CommandOption(name: "limit", value: CommandOption.number, help: "show N rows of each view (default 10; all with --format json)"),
    CommandOption(name: "budget", value: "FILE", help: "compare with limits, one \"PATTERN: SIZE\" per line; list only what exceeds them"),
  ]
  static let work: String? = "measuring"
  static let discussion = """
    Every byte counts once in each view: for a node, or as overhead: parts that nodes share, and checksums.
    In a budget, `root/**: 64 KiB` limits the state of all nodes that match, `(each node): 4 KiB` that of each one,
    and `(archive): 1 MiB` the file. For a file in another format, the result of `restoration convert` is measured.
    The status is 1 if a limit is exceeded, if a pattern matches no node of any file, or if a file is damaged.
    """
  static let example = "restoration sizes --budget sizes.txt notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let named = arguments.values("by").compactMap { ArchiveSizes.View(rawValue: $0) }
    let views = named.isEmpty ? ArchiveSizes.View.allCases : named
    let (limit, depth) = (arguments.number("limit"), arguments.number("depth"))
    let budget = try arguments.value("budget").map { name throws(ToolFailure) in try self.budget(InputFile(name: name)) }
    guard budget == nil || named.isEmpty else { throw .usage("--budget and --by exclude each other") }
    // The patterns of the budget that no node of any file has matched.
    var unmatched: [String]?
    var output = console
    let status = forEachFile(arguments, console) { file throws(ToolFailure) in
      let input = try file.wholeArchive(arguments, console)
      let sizes = ArchiveSizes(try file.opened(input.bytes))
      let comparison = budget.map { sizes.comparison(with: $0) }
      let excesses = comparison?.excesses
      if let comparison { unmatched = unmatched?.filter(comparison.unmatched.contains) ?? comparison.unmatched }
      if arguments.printsJSON {
        sizes.writeJSON(
          of: file.displayName, to: &output, views: views, limit: limit, depth: depth, excesses: excesses,
          unmatched: comparison?.unmatched ?? [])
      } else if let excesses {
        for line in excesses { console.write("\(file.displayName): \(console.style.alarming("over budget:")) \(line)\n") }
        if excesses.isEmpty { console.write("\(file.displayName): within the budget: \(sizes.byteCount) bytes\n") }
      } else {
        if arguments.operands.count > 1 { console.write("\(console.style.bold(file.displayName)):\n") }
        sizes.write(to: &output, views: views, limit: limit ?? 10, depth: depth, style: console.style)
      }
      let status: ExitStatus = excesses?.isEmpty == false ? .problems : .fine
      return status.or(input.reportProblems(of: file, console))
    }
    guard let unmatched, !unmatched.isEmpty, let name = arguments.value("budget") else { return status }
    let files = arguments.operands.count == 1 ? InputFile(name: arguments.operands[0]).displayName : "the files"
    for pattern in unmatched { console.report("\(name.escapedForDisplay): \(pattern) matches no node of \(files)") }
    return status.or(.problems)
  }

  private static func budget(_ file: InputFile) throws(ToolFailure) -> SizeBudget {
    let text = String(decoding: try file.bytes(), as: UTF8.self)
    return try Result { () throws(RestorationError) in try SizeBudget(parsing: text) }.mapError {
      ToolFailure.usage("\(file.displayName): \($0)", hint: "a line is a path or pattern and its limit: root/editors/**: 64 KiB")
    }.get()
  }
}
