import RestorationArchive
import RestorationInspection
import StateRestoration

/// The files that operands lead to: a name, the folder of an app, or a generation of a store such as `STORE@7`.
enum InputAddress {
  static func files(_ operands: some Sequence<String>, _ console: Console) throws(ToolFailure) -> [String] {
    var files: [String] = []
    for operand in operands { files.append(try file(operand, console)) }
    return files
  }

  private static func file(_ operand: String, _ console: Console) throws(ToolFailure) -> String {
    guard operand != "-" else { return operand }
    switch ByteStream.kind(ofPath: operand) {
    case .folder: return folder(operand, console)
    case nil: break
    default: return operand
    }
    guard operand.contains("@") else { return operand }
    guard let address = GenerationAddress(operand) else {
      if let absence = absence(of: operand) { throw absence }
      return operand
    }
    do throws(GenerationAddress.Failure) {
      let file = try address.file()
      console.report("\(operand.escapedForDisplay): \(file.escapedForDisplay)")
      return file
    } catch {
      let store = InputFile(name: address.folder)
      let list = "`restoration store \(store.displayName)` lists what there is"
      throw store.problem(error.message, hint: error.alternatives.map { "\($0); \(list)" } ?? list)
    }
  }

  /// Returns the failure for an address in a folder that is no store; nil if the operand is none.
  static func absence(of operand: String) -> ToolFailure? {
    guard operand.contains("@"), let folder = operand.split(separator: "@").first.map(String.init),
      ByteStream.kind(ofPath: folder) == .folder
    else { return nil }
    return ToolFailure(
      status: .inputOutput, message: "\(operand.escapedForDisplay): no such file, and \(folder.escapedForDisplay) is not a store")
  }

  /// Returns the folder of the store that an operand names, as a folder or as an address, and the scene and the generation of
  /// the address.
  static func store(_ operand: String, _ console: Console) -> (folder: String, scene: ArchiveName?, number: Int?) {
    if ByteStream.kind(ofPath: operand) == nil, operand.contains("@"), let address = GenerationAddress(operand) {
      return (address.folder, address.scene, address.number)
    }
    return (folder(operand, console), nil, nil)
  }

  /// Returns the folder of the store in the folder of an app, and says so; the folder itself if it is a store, or holds
  /// no store or several.
  static func folder(_ name: String, _ console: Console) -> String {
    guard let store = GenerationAddress.store(in: name), store != name, !InputFile(name: name).isStateFolder,
      (try? ChainFiles(inFolder: name)) == nil
    else { return name }
    console.report("\(name.escapedForDisplay): the store is in \(store.escapedForDisplay)")
    return store
  }
}

/// The files that a verb reads, as they were when it began: what looks like damage may be two halves of two files.
struct FileWatch {
  private let files: [(name: String, version: FileVersion)]

  init(_ names: [String]) { files = names.compactMap { name in FileVersion(ofPath: name).map { (name, $0) } } }

  /// The name of the first file that is another one now, or has changed.
  private var changedFile: String? { files.first { FileVersion(ofPath: $0.name) != $0.version }?.name }

  /// Returns the failure of a verb that has found problems in a file that has changed; nil if none has.
  func failure(explaining status: ExitStatus) -> ToolFailure? {
    guard status == .problems || status == .unreadable, let changedFile else { return nil }
    let message = "\(changedFile.escapedForDisplay): was replaced or changed while it was read"
    return ToolFailure(status: .inputOutput, message: message, hint: "run the command again")
  }
}
