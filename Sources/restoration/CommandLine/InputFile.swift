import RestorationArchive
import RestorationInspection

/// A file that the user named, or standard input.
struct InputFile {
  /// What the user wrote.
  let name: String

  /// The name for messages.
  var displayName: String { name == "-" ? "standard input" : name.escapedForDisplay }

  private var path: String { name == "-" ? "/dev/stdin" : name }

  /// All its bytes.
  func bytes() throws(ToolFailure) -> [UInt8] {
    do throws(ArchiveError) {
      return try FileByteSource(path: path).readAll()
    } catch {
      throw ToolFailure(error, file: displayName)
    }
  }

  /// Opens it as an archive that is read on demand.
  func archive() throws(ToolFailure) -> InspectedArchive {
    do throws(ArchiveError) {
      return try InspectedArchive(contentsOfFile: path)
    } catch {
      throw ToolFailure(error, file: displayName)
    }
  }

  /// Looks for something in the archive, which may meet damage.
  func reading<Result>(_ body: () throws(ArchiveError) -> Result) throws(ToolFailure) -> Result {
    do throws(ArchiveError) {
      return try body()
    } catch {
      throw ToolFailure(status: error.kind == .inputOutput ? .inputOutput : .problems, message: "\(displayName): \(error)")
    }
  }
}

extension Console {
  /// Tells what was found wrong with a file that could be read in part.
  ///
  /// - Returns: What the tool tells the shell.
  func report(_ errors: some Sequence<ArchiveError>, of file: InputFile) -> ExitStatus {
    var status = ExitStatus.fine
    for error in errors {
      report("\(file.displayName): \(error)")
      status = status.or(error.kind == .inputOutput ? .inputOutput : .problems)
    }
    return status
  }
}
