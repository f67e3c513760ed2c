import RestorationArchive

/// A file that the user wants something written to.
struct OutputFile {
  /// What the user wrote.
  let name: String
  /// Whether the user said `--force`.
  let canReplace: Bool

  /// Writes it, whole or not at all.
  func write(_ bytes: [UInt8]) throws(ToolFailure) {
    do throws(ArchiveError) {
      try ArchiveFile.write(bytes, to: name, replacement: canReplace ? .allowed : .refused)
    } catch {
      throw ToolFailure(
        status: .inputOutput, message: "\(name.escapedForDisplay): \(error.found)",
        hint: error.found == "file exists" ? "--force replaces it" : nil)
    }
  }
}
