import RestorationArchive
import RestorationInspection

enum Search: Verb {
  static let name = "search"
  static let summary = "find values, keys and identifiers, one match per line with its path"
  static let operands = "FILE TEXT|/REGEX/"
  static let fileCount = 1
  static let readsChains = true
  static let options: [CommandOption] = [
    CommandOption(name: "ignore-case", letter: "i", help: "small and capital letters are the same"),
    CommandOption(name: "key", value: "KEY", help: "search only the values of KEY, and what is inside them"),
    CommandOption(name: "path", value: "PATH", help: "search only the node at PATH and everything below it"), .plumbing, .reveal,
  ]
  static let work: String? = "searching"
  static let discussion = """
    A line has the path of the node and the place of the value, as `get` takes them, and the value. An expression
    between slashes is one as for `grep -E`, with \\d, \\w, \\s and \\b, but without references to groups. Strings and
    urls are compared as they are, other values as they are printed; data is searched if it is a property list.
    Sensitive values are not searched without --reveal. The status is 1 if nothing is found.
    """
  static let example = "restoration search --key url notes.rsta '/example\\.(com|org)/'"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let (file, text) = (InputFile(name: arguments.operands[0], arguments, readable: true), arguments.operands[1])
    guard !text.isEmpty else { throw .usage("TEXT is empty", hint: "/.*/ finds everything") }
    let pattern = try Result { () throws(SearchPattern.SyntaxError) in
      try SearchPattern(text, ignoringCase: arguments.has("ignore-case"))
    }.mapError { ToolFailure.usage("\(text.escapedForDisplay): \($0)") }.get()
    let (archive, imported) = try file.archiveWithImport(arguments, console)
    var options = ArchiveSearch.Options(pattern: pattern)
    options.key = arguments.value("key")
    options.sensitive = arguments.sensitive
    if let path = arguments.value("path") { options.path = try RestorationPath(argument: path, "--path", in: archive.reader) }
    var search = ArchiveSearch(archive, options)
    var output = console
    let isThere = arguments.printsJSON ? search.writeJSON(to: &output) : search.write(to: &output, style: console.style)
    guard isThere else { throw file.problem("no node at \(options.path.displayText)") }
    let status = console.report(archive.openingErrors + search.errors, of: file).or(console.report(imported, of: file))
    guard search.hitCount == 0 else { return status }
    let masked = ArchiveOverview.counted(search.maskedCount, "sensitive value")
    let hint = search.maskedCount == 0 ? nil : "--reveal searches \(masked) too"
    console.report("\(file.displayName): nothing matches \(text.escapedForDisplay)", hint: hint)
    return status.or(.problems)
  }
}
