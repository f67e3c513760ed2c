import RestorationArchive

/// A file that the user wants something written to, or standard output.
struct OutputFile {
  /// What the user wrote.
  let name: String
  /// Whether the user said `--force`.
  let canReplace: Bool

  /// Whether it is standard output.
  var isStandardOutput: Bool { name == "-" }

  /// Refuses to write to a terminal what is not text.
  func expectNoTerminal(_ console: Console) throws(ToolFailure) {
    guard isStandardOutput, console.isTerminal else { return }
    throw .usage("an archive is not for a terminal", hint: "-o FILE writes it to a file")
  }

  /// Writes it, whole or not at all.
  func write(_ bytes: [UInt8], _ console: Console) throws(ToolFailure) {
    if isStandardOutput { return console.write(bytes: bytes) }
    do throws(ArchiveError) {
      try ArchiveFile.write(bytes, to: name, replacement: canReplace ? .allowed : .refused)
    } catch {
      throw ToolFailure(
        status: .inputOutput, message: "\(name.escapedForDisplay): \(error.found)",
        hint: error.found == "file exists" ? "--force replaces it" : nil)
    }
  }
}
