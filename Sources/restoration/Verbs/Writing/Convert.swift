import KeyedArchive
import RestorationArchive
import RestorationInspection
import StateRestoration

enum Convert: Verb {
  static let name = "convert"
  static let summary = "turn an archive into JSON, a keyed archive or a property list, or back"
  static let operands = "FILE"
  static let readsChains = true
  private static let form = CommandOption(
    name: "to", value: "FORM", choices: ArchiveConversion.Form.allCases.map(\.rawValue),
    help: "the form to convert to; json for an archive, archive for all else if left out")
  static let options =
    [form] + CommandOption.output("OUT") + [.reveal, CommandOption(name: "redact", help: "write null in place of sensitive values")]
  static let hasFormats = false
  static let formatHint: String? = "--to json makes the JSON form"
  static let work: String? = "converting"
  static let discussion = """
    The content of FILE decides what it is: an archive, its JSON form, a property list or keyed archive of any kind,
    or a saved state of UIKit or AppKit, also as a folder. --to keyed-archive writes what Foundation's unarchiver
    reads; --to plist and xml-plist write a property list, for programs that show one: of a property list or keyed
    archive the list itself, of anything else the content of the archive. An archive with sensitive values is turned
    into JSON, a keyed archive or a list only with --reveal or --redact; --redact leaves out the sections of others
    too, which may hold any value. A damaged archive is converted only if no content is lost, for example if one of
    two copies is damaged. The damage is reported, and the status is 1; so is whatever the new form does not have. Part
    of a saved state that cannot be read is copied as bytes, and reported in the same way. The folder of a store stands
    for the archive of its app, without the scenes; if OUT is a folder, each archive of the store becomes a file in
    it, except those of closed scenes.
    """
  static let example = "restoration convert --to json -o notes.json notes.rsta"

  static func run(_ arguments: CommandArguments, _ console: Console) throws(ToolFailure) -> ExitStatus {
    guard !(arguments.has("reveal") && arguments.has("redact")) else { throw .usage("--reveal and --redact exclude each other") }
    let file = InputFile(name: arguments.operands[0], arguments)
    guard let folder = arguments.value("output"), ByteStream.kind(ofPath: folder) == .folder else {
      return try run(file, to: OutputFile(arguments, inputs: [file]), arguments, console)
    }
    guard let archives = try file.archivesOfStore() else {
      throw .usage(
        "-o \(folder.escapedForDisplay): is a directory, into which only the archives of a store are written",
        hint: "name the file too, as in -o \(ChainFiles.path(of: "OUT", in: folder).escapedForDisplay)")
    }
    guard (try? InputFile(name: folder, arguments).archivesOfStore()) == nil else {
      throw .usage("-o \(folder.escapedForDisplay): is the folder of a store, which only its app writes")
    }
    var status = ExitStatus.fine
    for archive in archives {
      let part = InputFile(name: archive.path, arguments)
      let form = arguments.value("to").flatMap { ArchiveConversion.Form(rawValue: $0) } ?? .json
      let name = "\(folder.hasSuffix("/") ? folder : folder + "/")\(archive.archive.fileName).\(form.fileExtension)"
      do throws(ToolFailure) {
        let output = try OutputFile(arguments, name: name, inputs: [file, part])
        status = status.or(try run(part, to: output, arguments, console))
      } catch {
        // One archive that cannot be converted is no reason to leave out the others.
        console.report(error, asJSON: arguments.printsJSON)
        status = status.or(error.status)
      }
    }
    let closed = (try? RestorationStore(folder: file.name, access: .reading).closedStates().count) ?? 0
    if closed > 0 {
      let scenes = ArchiveOverview.counted(closed, "closed scene")
      console.report("\(file.displayName): without the \(scenes)", hint: "`restoration store \(file.displayName)` lists their files")
    }
    return status
  }

  private static func run(
    _ file: InputFile, to output: OutputFile, _ arguments: CommandArguments, _ console: Console
  ) throws(ToolFailure) -> ExitStatus {
    let content = try file.content(arguments, console)
    let bytes = content.bytes
    let source = content.isImported ? .keyedArchive : ArchiveConversion.form(of: bytes)
    let target = arguments.value("to").flatMap { ArchiveConversion.Form(rawValue: $0) } ?? (source == .archive ? .json : .archive)
    // The objects of a list are copied as they are, so one with sensitive values is, if at all, converted by its content.
    if target == .propertyList || target == .xmlPropertyList, content.isImported, content.windows == nil,
      PropertyList.form(of: bytes) != nil, arguments.has("reveal") || !ImportedArchive.marksSensitiveValues(bytes)
    {
      return try rewrite(content, target, to: output, file, console)
    }
    let imported = content.isImported ? try file.imported(content) : nil
    if let imported { try file.expectContent(of: imported, "can be read") }
    let converted = try convert(bytes, imported, to: target, arguments, file)
    let status = try write(converted, target, of: file, to: output, console)
    return status.or(source == .archive ? report(ArchiveCheck(bytes).findings, of: file, console) : console.report(imported, of: file))
  }

  /// Writes a property list, a keyed archive too, in another form of property lists: its objects are those of the source.
  private static func rewrite(
    _ content: InputContent, _ target: ArchiveConversion.Form, to output: OutputFile, _ file: InputFile, _ console: Console
  ) throws(ToolFailure) -> ExitStatus {
    let list = try Result { () throws(KeyedArchiveError) in try PropertyList(decoding: content.bytes, tolerance: file.tolerance) }
      .mapError { ToolFailure($0, file: file.displayName) }.get()
    let converted = try Result { () throws(KeyedArchiveError) in try ArchiveConversion.bytes(of: list, target) }
      .mapError { file.problem("\($0)") }.get()
    let status = try write((converted.bytes, converted.cutDates, []), target, of: file, to: output, console)
    for oddity in list.oddities { console.report("\(file.displayName): \(oddity)") }
    return status.or(list.oddities.contains(where: \.isLoss) ? .problems : .fine)
  }

  /// Reports the findings of an archive that could be converted: skipped copies.
  private static func report(_ findings: ComputedList<ArchiveError>, of file: InputFile, _ console: Console) -> ExitStatus {
    guard let first = findings.first else { return .fine }
    console.report("\(file.displayName): \(first)", hint: findings.count > 1 ? "`restoration check` lists all that is wrong" : nil)
    return .problems
  }

  private static func convert(
    _ bytes: [UInt8], _ imported: ImportedArchive?, to target: ArchiveConversion.Form, _ arguments: CommandArguments, _ file: InputFile
  ) throws(ToolFailure) -> ArchiveConversion.Converted {
    let sensitive: SensitiveValues? = arguments.has("reveal") ? .reveal : arguments.has("redact") ? .redact : nil
    do throws(ArchiveConversion.Refusal) {
      if let imported { return try ArchiveConversion.convert(imported.tree, to: target, sensitive: sensitive) }
      return try ArchiveConversion.convert(bytes, to: target, sensitive: sensitive, allowsLink: arguments.has("link"))
    } catch {
      switch error {
      case .sensitiveValues:
        throw file.problem(
          "holds values that the app marked as sensitive",
          hint: "--reveal writes them in the clear, --redact writes null in their place")
      case .unreadableKeyedArchive(let error): throw file.problem("\(error)")
      case .unreadable(let error):
        let isReadable = (try? ArchiveReader(inspecting: bytes)) != nil
        guard isReadable, error.kind != .inputOutput else { throw ToolFailure(error, file: file.displayName, content: bytes) }
        throw file.problem("\(error)", hint: error.code == .unresolvedLink ? nil : ToolFailure.remedyOfDamage)
      }
    }
  }

  /// Writes the result, and reports its losses.
  private static func write(
    _ converted: ArchiveConversion.Converted, _ form: ArchiveConversion.Form, of file: InputFile, to output: OutputFile, _ console: Console
  ) throws(ToolFailure) -> ExitStatus {
    if form != .json, form != .xmlPropertyList { try output.expectNoTerminal(console) }
    try output.write(converted.bytes, console)
    let (cut, dropped) = (converted.cutDates, converted.droppedSections)
    if cut > 0 {
      let dates = cut == 1 ? "1 date loses its" : "\(cut) dates lose their"
      console.report("\(file.displayName): \(dates) fraction of a second, which XML lists do not have", hint: "--to plist keeps it")
    }
    if !dropped.isEmpty {
      let sections = "\(ArchiveOverview.counted(dropped.count, "section")) of others: \(dropped.joined(separator: ", "))"
      console.report("\(file.displayName): without \(sections)", hint: "any may hold sensitive values; --reveal keeps them")
    }
    return cut > 0 || !dropped.isEmpty ? .problems : .fine
  }
}
