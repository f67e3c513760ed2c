import KeyedArchive
import RestorationArchive
import RestorationInspection
import StateRestoration

/// An error that ends a verb.
struct ToolFailure: Error {
  let status: ExitStatus
  /// A one-line message for the user.
  let message: String
  var hint: String?

  /// The failure as JSON, for programs that would otherwise read nothing.
  var json: String { JSONTextWriter.inspection(["error": members]) }

  var members: JSONMembers { ["hint": hint, "message": message, "status": Int(status.rawValue)] }

  static func usage(_ message: String, hint: String? = nil) -> ToolFailure {
    ToolFailure(status: .usage, message: message, hint: hint)
  }
}

extension ToolFailure {
  /// Creates a failure from an archive error in a file.
  init(_ error: ArchiveError, file: String, hint: String? = nil) {
    if error.kind == .inputOutput {
      let isDevice = error.found == "is \(FileKind.device.words)"
      self.init(
        status: .inputOutput, message: "\(file.escapedForDisplay): \(error.found)",
        hint: hint ?? (isDevice ? "files, folders and pipes are read, and standard input as -" : nil))
    } else {
      self.init(status: .unreadable, message: "\(file.escapedForDisplay): \(error)", hint: hint ?? Self.hint(for: error))
    }
  }

  /// Creates a failure from an archive error in a file, and says what the file is instead if its first bytes do.
  init(_ error: ArchiveError, file: String, content: [UInt8]) {
    self.init(error, file: file)
    guard error.code == .badMagic else { return }
    if let format = OtherFormat(content) {
      self.init(
        status: status, message: "\(file.escapedForDisplay): \(format.words), which is not read [\(error.code.rawValue)]",
        hint: format.remedy)
    } else if ArchiveConversion.form(of: content) == .json {
      hint = "it begins as JSON does; if it is the JSON form of an archive, `restoration convert` makes an archive of it"
    } else {
      let isOwn = StoreFileName.isOwn(ChainFiles.name(of: file))
      // The progress record of an app that ended well begins with zeros.
      if content.count >= 8, content.prefix(64).allSatisfy({ $0 == 0 }), !isOwn || file.hasSuffix(".rsta") {
        hint = "it begins with zeros, like a file whose content was lost when the system crashed"
      } else if isOwn {
        hint = "it has the name of a file of a store: `restoration store FOLDER` shows what is in one"
      }
    }
  }

  /// Creates a failure from a file that cannot be imported; its name is as it is displayed.
  init(_ error: KeyedArchiveError, file: String) {
    self.init(status: .unreadable, message: "\(file): \(error)", hint: Self.hint(for: error))
  }

  /// What to do about an archive that is damaged or breaks a rule.
  static let remedyOfDamage = "`restoration check` lists all that is wrong, `restoration salvage` rescues what is intact"

  private static func hint(for error: ArchiveError) -> String? {
    switch error.code {
    case .badMagic: "`restoration convert --help` lists the kinds of files that are read"
    case .textModeDamage: "the file was transferred as text; transfer it again as binary"
    case .emptyFile: "it was never written, or it was truncated"
    case .trailingBytes: "the archive may be whole: `head -c \(error.expected) FILE` removes the extra bytes"
    case .unsupportedVersion, .unsupportedFeature: "a later version of this tool may read it"
    default: nil
    }
  }

  private static func hint(for error: KeyedArchiveError) -> String? {
    switch error.code {
    case .tooShort, .integerWidth, .objectCount, .topObject, .offsetTable:
      "the end of the file is not that of a property list; `restoration salvage` rescues the objects that are whole"
    case .objectOffset, .objectMarker, .objectLength, .objectReference, .illFormedText, .containerCycle, .xmlSyntax, .listSyntax,
      .objectIndex, .objectFields, .xmlValue, .dateNotANumber, .uidRange, .keyType, .windowList:
      "`restoration salvage` rescues what is whole"
    case .xmlEncoding: "text in UTF-8 is read once the declaration says so; `iconv -t UTF-8` converts any other"
    case .workLimit: "its objects overlap, or contain each other again and again, as hardly any program writes them"
    default: nil
    }
  }
}
