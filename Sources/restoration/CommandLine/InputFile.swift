import RestorationArchive
import RestorationInspection

/// A file that the user named, or standard input.
struct InputFile {
  /// What the user wrote.
  let name: String

  /// The name for messages.
  var displayName: String { name == "-" ? "standard input" : name.escapedForDisplay }

  private var path: String { name == "-" ? "/dev/stdin" : name }

  /// How much of standard input or a pipe is read: what has no length may have no end.
  private static let mostStreamed = 1 << 28

  /// Whether it is read as it comes, because it is standard input or a pipe.
  ///
  /// A device is read as standard input alone, where a terminal is one.
  private var isStream: Bool {
    name == "-" ? ByteStream.kindOfStandardInput != .file : ByteStream.kind(ofPath: path) == .pipe
  }

  /// All its bytes.
  func bytes() throws(ToolFailure) -> [UInt8] {
    if isStream { return try streamedBytes() }
    do throws(ArchiveError) {
      let source = try FileByteSource(path: path)
      if try source.byteCount() <= FileByteSource.mostBytes { return try source.readAll() }
      // No archive is so long, so opening it tells what is wrong, and reads next to nothing for that.
      if let error = try InspectedArchive(contentsOfFile: path).openingErrors.first { throw error }
      return try source.readAll()
    } catch {
      throw ToolFailure(error, file: displayName)
    }
  }

  private func streamedBytes() throws(ToolFailure) -> [UInt8] {
    do throws(ArchiveError) {
      if name == "-" { return try ByteStream.readStandardInput(atMost: Self.mostStreamed) }
      return try ByteStream.readAll(path: path, atMost: Self.mostStreamed)
    } catch {
      throw ToolFailure(error, file: displayName)
    }
  }

  /// Opens it as an archive that is read on demand.
  func archive() throws(ToolFailure) -> InspectedArchive {
    let streamed = isStream ? try streamedBytes() : nil
    do throws(ArchiveError) {
      if let streamed { return try InspectedArchive(streamed) }
      return try InspectedArchive(contentsOfFile: path)
    } catch {
      throw ToolFailure(error, file: displayName)
    }
  }

  /// Why its bytes cannot be opened as an archive; nil if they can.
  func failure(opening bytes: [UInt8]) -> ToolFailure? {
    do throws(ArchiveError) {
      _ = try InspectedArchive(bytes)
      return nil
    } catch {
      return ToolFailure(error, file: displayName)
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
