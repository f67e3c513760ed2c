import FoundationValues
import RestorationArchive
import RestorationInspection

/// An output file from the command line, or standard output.
struct OutputFile {
  /// The name as the user typed it.
  let name: String
  let canReplace: Bool
  /// The path of the file: a symbolic link leads to it, and stays.
  private let path: String

  var isStandardOutput: Bool { name == "-" }

  /// Creates the output that the options name.
  ///
  /// - Parameters:
  ///   - arguments: The arguments of the verb.
  ///   - name: The name of the output; nil for the one that the option gives.
  ///   - inputs: The inputs of the verb.
  ///   - readsCompanions: Whether the verb also reads what belongs to an input, such as the files before a link.
  /// - Throws: A failure of status 74 if its folder does not exist. A usage failure if it is one of the inputs, under whatever
  ///   name, a file in a folder that is one, or a file that is read with one; or if it is neither a file nor a folder.
  init(
    _ arguments: CommandArguments, name: String? = nil, inputs: [InputFile], readsCompanions: Bool = true
  ) throws(ToolFailure) {
    let name = name ?? arguments.value("output") ?? "-"
    (self.name, canReplace, path) = (name, arguments.has("force"), Self.target(of: name))
    guard !isStandardOutput else { return }
    guard !name.isEmpty else { throw .usage("--output is an empty name") }
    if let kind = ByteStream.kind(ofPath: name), kind != .file, kind != .folder {
      throw .usage("\(name.escapedForDisplay): is \(kind.words), which no file replaces", hint: "-o - writes to standard output")
    }
    let parent = ArchiveFile.folder(of: path)
    guard let kind = ByteStream.kind(ofPath: parent), kind == .folder else {
      let reason = ByteStream.kind(ofPath: parent) == nil ? "does not exist" : "is not a directory"
      throw ToolFailure(status: .inputOutput, message: "\(name.escapedForDisplay): the folder \(parent.escapedForDisplay) \(reason)")
    }
    guard let output = FileIdentity(ofPath: self.name) else { return }
    let folder = FileIdentity(ofPath: parent)
    for input in inputs {
      if input.identity == output { throw replaces("its input") }
      if input.identity == folder { throw replaces("a file of its input") }
      guard readsCompanions else { continue }
      for path in input.companions(arguments) where FileIdentity(ofPath: path) == output {
        throw replaces("a file that is read with its input")
      }
    }
  }

  /// Returns the path that a symbolic link leads to, whether or not there is a file yet; the path itself if it is no link.
  private static func target(of name: String) -> String {
    var path = name
    // A link may lead to itself.
    for _ in 0..<32 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
      path = target.hasPrefix("/") ? target : "\(ArchiveFile.folder(of: path))/\(target)"
    }
    return path
  }

  private func replaces(_ what: String) -> ToolFailure {
    .usage("\(name.escapedForDisplay): the output would replace \(what)")
  }

  /// Refuses to write binary output to a terminal.
  func expectNoTerminal(_ console: Console) throws(ToolFailure) {
    guard isStandardOutput, console.isTerminal else { return }
    throw .usage("an archive is not for a terminal", hint: "-o FILE writes it to a file")
  }

  func write(_ bytes: [UInt8], _ console: Console) throws(ToolFailure) {
    if isStandardOutput { return console.write(bytes: bytes) }
    try writing { () throws(ArchiveError) in try ArchiveFile.write(bytes, to: path, replacement: canReplace ? .allowed : .refused) }
  }

  /// Writes text atomically, piece by piece: `body` receives a function that appends a piece.
  func write(
    _ console: Console, _ body: ((String) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
  ) throws(ToolFailure) {
    try writing { () throws(ArchiveError) in
      if isStandardOutput { return try body { piece in console.write(piece) } }
      try ArchiveFile.write(to: path, replacement: canReplace ? .allowed : .refused, pieces: body)
    }
  }

  private func writing(_ body: () throws(ArchiveError) -> Void) throws(ToolFailure) {
    try Result(catching: body).mapError { error in
      let hint = error.found == "file exists" ? "--force replaces it" : nil
      return ToolFailure(status: .inputOutput, message: "\(name.escapedForDisplay): \(error.found)", hint: hint)
    }.get()
  }
}
