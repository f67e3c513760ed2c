import KeyedArchive
import RestorationArchive
import RestorationInspection
import StateRestoration

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
    Sensitive values are not searched without --reveal. In the folder of a store with scenes all of its archives are
    searched, and a line begins with the archive that it is from. The status is 1 if nothing is found.
    """
  static let example = "restoration search --key url notes.rsta '/example\\.(com|org)/'"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    let (file, text) = (InputFile(name: arguments.operands[0], arguments, readable: true), arguments.operands[1])
    guard !text.isEmpty else { throw .usage("TEXT is empty", hint: "/.*/ finds everything") }
    let pattern = try Result { () throws(TextPattern.SyntaxError) in
      try TextPattern(text, ignoringCase: arguments.has("ignore-case"))
    }.mapError { ToolFailure.usage("\(text.escapedForDisplay): \($0)") }.get()
    var options = ArchiveSearch.Options(pattern: pattern)
    options.key = arguments.value("key")
    options.sensitive = arguments.sensitive
    var (inputs, searches, status): ([Input], [ArchiveSearch], ExitStatus) = ([], [], .fine)
    for var input in try self.inputs(file, arguments) {
      do throws(ToolFailure) {
        let (archive, imported) = try input.file.archiveWithImport(arguments, console)
        if let path = arguments.value("path") { options.path = try RestorationPath(argument: path, "--path", in: archive.reader) }
        searches.append(ArchiveSearch(archive, options, of: input.archive))
        (input.openingErrors, input.imported) = (archive.openingErrors, imported)
        inputs.append(input)
      } catch {
        // One archive of a store that cannot be read does not hide the others.
        guard input.archive != nil, error.status != .usage else { throw error }
        console.report(error.message, hint: error.hint)
        status = status.or(error.status)
      }
    }
    var output = console
    if arguments.printsJSON {
      ArchiveSearch.writeJSON(of: &searches, to: &output)
    } else {
      for (index, input) in inputs.enumerated() { searches[index].write(to: &output, of: input.address, style: console.style) }
    }
    for (input, search) in zip(inputs, searches) {
      status = status.or(console.report(input.openingErrors + search.errors, of: input.file))
      status = status.or(console.report(input.imported, of: input.file))
    }
    guard searches.isEmpty || searches.contains(where: \.isThere) else { throw file.problem("no node at \(options.path.displayText)") }
    guard searches.allSatisfy({ $0.hitCount == 0 }) else { return status }
    let maskedCount = searches.reduce(0) { $0 + $1.maskedCount }
    let hint = maskedCount == 0 ? nil : "--reveal searches \(ArchiveOverview.counted(maskedCount, "sensitive value")) too"
    console.report("\(file.displayName): nothing matches \(text.escapedForDisplay)", hint: hint)
    return status.or(.problems)
  }

  /// An archive to search: that of a file, or one of a store.
  private struct Input {
    let file: InputFile
    /// The name of the archive in a store with scenes, and the address of its newest generation.
    var archive: ArchiveName?
    var address: String?
    var openingErrors: [ArchiveError] = []
    var imported: ImportedArchive?
  }

  private static func inputs(_ file: InputFile, _ arguments: CommandArguments) throws(ToolFailure) -> [Input] {
    guard !arguments.has("link"), let archives = try file.archivesOfStore(), archives.contains(where: { $0.archive.scene != nil }) else {
      return [Input(file: file)]
    }
    return archives.map { archive in
      let address = file.displayName + (archive.archive.scene.map { "@\($0.escapedForDisplay)" } ?? "")
      return Input(file: InputFile(name: archive.path, arguments, readable: true), archive: archive.archive, address: address)
    }
  }
}
