import RestorationArchive
import RestorationInspection

/// An output file from the command line, or standard output.
struct OutputFile {
  /// The name as the user typed it.
  let name: String
  let canReplace: Bool

  var isStandardOutput: Bool { name == "-" }

  /// Creates the output that the options name.
  ///
  /// - Throws: A usage failure if it is one of the inputs, under whatever name, or a file in a folder that is one.
  init(_ arguments: CommandArguments, inputs: [InputFile]) throws(ToolFailure) {
    try self.init(name: arguments.value("output") ?? "-", canReplace: arguments.has("force"), inputs: inputs)
  }

  /// Creates an output with a name, like the initializer above.
  init(name: String, canReplace: Bool, inputs: [InputFile]) throws(ToolFailure) {
    (self.name, self.canReplace) = (name, canReplace)
    guard !isStandardOutput, let output = ByteStream.Identity(ofPath: name) else { return }
    let folder = ByteStream.Identity(ofPath: ArchiveFile.folder(of: name))
    for input in inputs where input.identity == output || input.identity == folder {
      throw .usage("\(name.escapedForDisplay): the output would replace \(input.identity == output ? "its input" : "a file of its input")")
    }
  }

  /// Refuses to write binary output to a terminal.
  func expectNoTerminal(_ console: Console) throws(ToolFailure) {
    guard isStandardOutput, console.isTerminal else { return }
    throw .usage("an archive is not for a terminal", hint: "-o FILE writes it to a file")
  }

  func write(_ bytes: [UInt8], _ console: Console) throws(ToolFailure) {
    if isStandardOutput { return console.write(bytes: bytes) }
    try writing { () throws(ArchiveError) in try ArchiveFile.write(bytes, to: name, replacement: canReplace ? .allowed : .refused) }
  }

  /// Writes text atomically, piece by piece: `body` receives a function that appends a piece.
  func write(
    _ console: Console, _ body: ((String) throws(ArchiveError) -> Void) throws(ArchiveError) -> Void
  ) throws(ToolFailure) {
    try writing { () throws(ArchiveError) in
      if isStandardOutput { return try body { piece in console.write(piece) } }
      try ArchiveFile.write(to: name, replacement: canReplace ? .allowed : .refused, pieces: body)
    }
  }

  private func writing(_ body: () throws(ArchiveError) -> Void) throws(ToolFailure) {
    try Result(catching: body).mapError { error in
      let hint = error.found == "file exists" ? "--force replaces it" : nil
      return ToolFailure(status: .inputOutput, message: "\(name.escapedForDisplay): \(error.found)", hint: hint)
    }.get()
  }
}
