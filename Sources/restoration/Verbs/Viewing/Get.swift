import RestorationArchive
import RestorationInspection

enum Get: Verb {
  static let name = "get"
  static let summary = "show one node's state, or one value"
  static let operands = "FILE PATH [KEY ...]"
  static let fileCount = 1
  static let readsChains = true
  static let options: [CommandOption] = [
    CommandOption(name: "raw", help: "write the bytes of a data value, or the text of a string or url, and nothing else"), .reveal,
  ]
  static let discussion = """
    PATH is the identifiers from the root down, joined with /, as `tree`, `diff` and `search` print them; in an
    identifier, / may be written as ~1 and ~ as ~0. The empty path, "", is the app itself. KEYs lead into the
    value: keys of dictionaries, indexes of arrays from 0, and both through data that is itself a property list or
    keyed archive. They may be one word: history[1].title. With --format json the value is in the archive's JSON
    form. Only the blocks of the node and its state are read, so that damage in others does not matter.
    --raw and --format json exclude each other.
    """
  static let example = "restoration get notes.rsta root/list row"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let file = InputFile(name: arguments.operands[0], arguments)
    let keys = arguments.operands.dropFirst(2)
    guard !keys.isEmpty || !arguments.has("raw") else { throw .usage("--raw needs a KEY") }
    guard !(arguments.has("raw") && arguments.printsJSON) else { throw .usage("--raw and --format json exclude each other") }
    let (archive, imported) = try file.archiveWithImport(arguments, console)
    let path = try RestorationPath(argument: arguments.operands[1], "PATH", in: archive)
    guard let node = try file.reading({ () throws(ArchiveError) in try archive.node(at: path) }) else {
      throw absentNode(path, in: archive, file)
    }
    let listing = try file.reading { () throws(ArchiveError) in try NodeListing(node) }
    let values = ValueText(sensitive: arguments.sensitive, style: console.style, in: archive)
    if !keys.isEmpty {
      try show(keys, of: listing, values, file, arguments, console)
    } else {
      show(listing, values, arguments, console)
    }
    return console.report(archive.openingErrors, of: file).or(console.report(imported, of: file))
  }

  // MARK: Showing

  private static func show(_ listing: NodeListing, _ values: ValueText, _ arguments: CommandArguments, _ console: Console) {
    var output = console
    if arguments.printsJSON {
      listing.writeJSON(to: &output, arguments.sensitive)
    } else if listing.isEmpty {
      console.write(console.style.dim("(no state)") + "\n")
    } else {
      listing.write(to: &output, values)
    }
  }

  private static func show(
    _ keys: ArraySlice<String>, of listing: NodeListing, _ values: ValueText, _ file: InputFile, _ arguments: CommandArguments,
    _ console: Console
  ) throws(ToolFailure) {
    let sensitive = arguments.sensitive
    let keys = ValuePath.keys(keys, in: listing.state, sensitive: sensitive)[...]
    let entry: ArchiveDictionary.Entry
    switch ValuePath.entry(keys, in: listing.state, sensitive: sensitive) {
    case .success(let found): entry = found
    case .failure(let absence):
      if absence.isHidden { throw hidden(keys.prefix(absence.depth), file) }
      let key = keys[keys.startIndex + absence.depth]
      let suggestion = Suggestion.nearest(to: key, among: absence.candidates).map { "did you mean \($0.escapedForDisplay)?" }
      let outer = keys.prefix(absence.depth).map { ", \($0.escapedForDisplay)" }.joined()
      let path = listing.node.path.isEmpty ? "\"\"" : listing.node.path.displayText
      throw file.problem(
        "\(name(of: listing.node.path))\(outer) has no value under \(key.escapedForDisplay)",
        hint: suggestion ?? "`restoration get \(file.displayName) \(path)` shows all keys")
    }
    let key = entry.key
    if arguments.has("raw") {
      if sensitive.hides(entry.isSensitive) { throw hidden(keys, file) }
      guard let bytes = ValueText.rawBytes(of: entry.value) else {
        throw .usage("--raw is for data, strings and urls; \(key.escapedForDisplay) is of type \(entry.value.typeName)")
      }
      console.write(bytes: bytes)
    } else {
      var output = console
      values.write(entry, asJSON: arguments.printsJSON, to: &output)
    }
  }

  private static func hidden(_ keys: ArraySlice<String>, _ file: InputFile) -> ToolFailure {
    file.problem("\(ValueChange.text(of: keys.map { .key($0) })) is marked as sensitive", hint: "--reveal shows it")
  }

  private static func name(of path: RestorationPath) -> String {
    path.isEmpty ? "the application" : path.description.escapedForDisplay
  }

  // MARK: Absent nodes

  /// Returns a failure that states how much of the path exists, and suggests similar names.
  private static func absentNode(_ path: RestorationPath, in archive: ArchiveReader, _ file: InputFile) -> ToolFailure {
    var last = RestorationPath.application
    var candidates: [String] = []
    for identifier in path.components {
      guard let node = try? archive.node(at: last) else { break }
      guard let child = try? node.child(identifier) else {
        // A list of a million rows is not searched for similar names.
        candidates = node.childCount <= 10_000 ? (try? node.children().compactMap(\.identifier)) ?? [] : []
        break
      }
      last = child.path
    }
    let wanted = path.components[last.count]
    let suggestion = Suggestion.nearest(to: wanted.unescapedFromDisplay, among: candidates).map {
      "did you mean \(last.appending($0).description.escapedForDisplay)?"
    }
    return file.problem(
      "no node at \(name(of: path)): \(name(of: last)) has no child \(wanted.escapedForDisplay)", hint: suggestion ?? file.treeHint)
  }
}
