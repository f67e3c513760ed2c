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
    Attributes and providers are not searched.
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
    let inputs = try self.inputs(file, arguments)
    var (status, found) = (ExitStatus.fine, Found())
    func open(_ input: Input) throws(ToolFailure) -> Opened {
      let (archive, imported) = try input.file.archiveWithImport(arguments, console)
      if let path = arguments.value("path") { options.path = try RestorationPath(argument: path, "--path", in: archive) }
      return (ArchiveSearch(archive, options, of: input.archive), archive.openingErrors, imported)
    }
    // Before anything is written: the failure of an archive alone is that of the verb.
    let single = inputs.count == 1 && inputs[0].archive == nil ? try open(inputs[0]) : nil
    /// Opens, searches and drops one archive after the other: together they may be larger than memory.
    func forEachSearch(_ body: (inout ArchiveSearch, _ address: String?) -> Void) {
      for input in inputs {
        do throws(ToolFailure) {
          var opened = if let single { single } else { try open(input) }
          body(&opened.search, input.address)
          found.add(opened.search)
          status = status.or(console.report(opened.errors + opened.search.errors, of: input.file))
          status = status.or(console.report(opened.imported, of: input.file))
        } catch {
          // One archive of a store that cannot be read does not hide the others, nor does one without a node that is printed so.
          if error.status == .usage {
            found.absence = error
          } else {
            found.unreadable.append(["archive": input.archive?.scene ?? "", "error": error.members])
            console.report(error.message, hint: error.hint)
            status = status.or(error.status)
          }
        }
      }
    }
    var output = console
    if arguments.printsJSON {
      ArchiveSearch.writeJSON(to: &output) { write in
        forEachSearch { search, _ in write(&search) }
        return found.unreadable
      }
    } else {
      forEachSearch { search, address in search.write(to: &output, of: address, style: console.style) }
    }
    if found.searchCount == 0, status == .fine, let absence = found.absence { throw absence }
    guard found.isThere || !found.unreadable.isEmpty else {
      throw file.problem("no node at \(options.path.displayText)", hint: file.treeHint)
    }
    guard found.hitCount == 0 else { return status }
    let maskedCount = found.maskedCount
    let hint = maskedCount == 0 ? nil : "--reveal searches \(ArchiveOverview.counted(maskedCount, "sensitive value")) too"
    let key = options.key.map { " under the key \($0.escapedForDisplay)" } ?? ""
    let below = options.path.isEmpty ? "" : " at \(options.path.displayText) or below"
    let rest = status == .fine ? "" : " in the part that can be read"
    console.report("\(file.displayName): nothing matches \(text.escapedForDisplay)\(key)\(below)\(rest)", hint: hint)
    return status.or(.problems)
  }

  /// An archive to search: that of a file, or one of a store.
  private struct Input {
    let file: InputFile
    /// The name of the archive in a store with scenes, and the address of its newest generation.
    var archive: ArchiveName?
    var address: String?
  }

  private typealias Opened = (search: ArchiveSearch, errors: [ArchiveError], imported: ImportedArchive?)

  /// What the searches so far have found together.
  private struct Found {
    var (searchCount, hitCount, maskedCount) = (0, 0, 0)
    /// Whether one of the archives has the node that is searched.
    var isThere = false
    /// The archives that cannot be opened, each with its failure.
    var unreadable: [JSONMembers] = []
    /// The failure of an archive in which no node is printed as the path, which spells none.
    var absence: ToolFailure?

    mutating func add(_ search: ArchiveSearch) {
      searchCount += 1
      hitCount += search.hitCount
      maskedCount += search.maskedCount
      isThere = isThere || search.isThere
    }
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
