#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import RestorationArchive

/// What a store remembers from launch to launch: deaths, and what is to blame for them.
///
/// It is an archive itself, with application state alone, and is replaced as archives are.
struct LaunchLedger: Equatable {
  /// A node that killed the process when it was restored.
  struct Quarantined: Equatable {
    /// The archive it is in.
    var archive: ArchiveName
    /// Its path.
    var path: RestorationPath
    /// The build that it killed; another one tries it again.
    var bundleVersion: String?
  }

  static let fileName = "ledger.rsta"
  /// What the last one is called that could not be read: damaged, of a later version, or refused by the system.
  static let unreadableFileName = "ledger.unreadable.rsta"

  /// How many launches in a row ended before they had settled.
  var deaths = 0
  /// Whether the last of them died where no node is to blame.
  var isUnexplained = false
  /// The nodes to blame.
  var quarantined: [Quarantined] = []
  /// Whether anything was ever launched with this store.
  var hasLaunched = false

  init() {}

  // MARK: Bytes

  func encoded() throws(ArchiveError) -> [UInt8] {
    let entries = quarantined.map { entry -> ArchiveValue in
      var dictionary: ArchiveDictionary = ["archive": .string(entry.archive.fileName), "path": .string(entry.path.description)]
      if let version = entry.bundleVersion { dictionary["bundleVersion"] = .string(version) }
      return .dictionary(dictionary)
    }
    let state: ArchiveDictionary = [
      "deaths": .integer(deaths), "hasLaunched": .bool(hasLaunched), "isUnexplained": .bool(isUnexplained), "quarantined": .array(entries),
    ]
    return [UInt8](try ArchiveTree(applicationState: state).encoded())
  }

  /// Reads a ledger; nil if it is damaged.
  ///
  /// What this build does not know is passed over.
  init?(_ bytes: [UInt8]) {
    guard let tree = try? ArchiveTree(decoding: Data(bytes)) else { return nil }
    let state = tree.applicationState
    if case .integer(let value) = state["deaths"], let deaths = value.converted(to: Int.self) { self.deaths = deaths }
    if case .bool(let value) = state["hasLaunched"] { hasLaunched = value }
    if case .bool(let value) = state["isUnexplained"] { isUnexplained = value }
    guard case .array(let entries) = state["quarantined"] else { return }
    for case .dictionary(let entry) in entries {
      guard case .string(let archive) = entry["archive"], let name = ArchiveName(fileName: archive), case .string(let text) = entry["path"],
        let path = try? RestorationPath(parsing: text)
      else { continue }
      var version: String?
      if case .string(let text) = entry["bundleVersion"] { version = text }
      quarantined.append(Quarantined(archive: name, path: path, bundleVersion: version))
    }
  }
}
