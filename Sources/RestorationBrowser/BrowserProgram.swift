import ArchiveFormat
import FoundationValues
public import RestorationArchive
import RestorationInspection
import StateRestoration
import SystemLibrary
public import Terminal

/// A browser of archives for the terminal: the tree on the left, the contents of the selected node on the right.
///
/// Its position in each file is its own restorable state: it comes back at the next start, however the browser ends.
@MainActor
public final class BrowserProgram {
  let browser: ArchiveBrowser
  private let restoration: AppRestoration
  private let path: String
  private let bytes: [UInt8]?

  /// The number of browsers that can keep a position in one file at the same time.
  private static let maximumPlaces = 8
  /// The number of positions that are kept; each takes a few kilobytes.
  private static let maximumPositions = 100

  /// Opens an archive at the position where the last browser left it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: The archive that the file stands for, if it is a link or has another form; nil to read the file on demand.
  ///   - sensitive: The treatment of sensitive values.
  ///   - stateFolder: The folder of the positions; nil for the system's conventional location.
  ///   - willEnd: Called when a signal is about to end or stop the process.
  /// - Throws: `ArchiveError`, if no part of the archive can be read; `StoreError`, if its position cannot be kept.
  public init(
    path: String, bytes: [UInt8]? = nil, sensitive: SensitiveValues = .redact, stateFolder: String? = nil,
    willEnd: @escaping @Sendable () -> Void = {}
  ) throws {
    (self.path, self.bytes) = (path, bytes)
    let archive = try bytes.map { try ArchiveReader(inspecting: $0) } ?? ArchiveReader(inspectingFile: path)
    let browser = ArchiveBrowser(archive, name: path.escapedForDisplay, sensitive: sensitive)
    let base = stateFolder ?? AppConfiguration.defaultFolder(for: "restoration-browse")
    let file = Self.name(of: path)
    var configuration = AppConfiguration(bundleIdentifier: "restoration-browse", bundleVersion: "1")
    configuration.userInterfaceIdiom = .terminal
    configuration.willEndBySignal = willEnd
    // The screen is not for messages; `status` shows the last one.
    configuration.reportProblem = { _ in }
    restoration = try Self.restoration(in: "\(base)/\(file)", configuration, browser)
    _ = try restoration.launch()
    browser.resume()
    Self.forgetOldest(in: base, keeping: Self.maximumPositions)
    self.browser = browser
  }

  /// Opens the first folder for a position in the file that no other browser uses.
  private static func restoration(
    in folder: String, _ configuration: AppConfiguration, _ browser: ArchiveBrowser
  ) throws -> AppRestoration {
    var configuration = configuration
    var place = 1
    while true {
      configuration.folder = place == 1 ? folder : "\(folder)-\(place)"
      do {
        return try AppRestoration(configuration, roots: { [browser] }, delegate: nil) {}
      } catch StoreError.inUse where place < maximumPlaces {
        place += 1
      }
    }
  }

  /// Removes the positions in the files that were not browsed for longest, except those in use.
  ///
  /// The folder is the user's choice, and may hold anything else: a folder in it with a file that no store makes is left alone.
  static func forgetOldest(in base: String, keeping count: Int) {
    let files = FileManager.default
    func names(in path: String) -> [String] { (try? files.contentsOfDirectory(atPath: path)) ?? [] }
    let paths = names(in: base).filter(isPosition).map { "\(base)/\($0)" }.filter { path in
      let names = names(in: path)
      return !names.isEmpty && names.allSatisfy(StoreFileName.isOwn)
    }
    let folders = paths.map { path in
      (path: path, date: (try? files.attributesOfItem(atPath: path))?[.modificationDate] as? Date ?? .distantPast)
    }
    for folder in folders.sorted(by: { $0.date > $1.date }).dropFirst(count) {
      // The store keeps its lock until its folder is gone, so no browser can begin to use it.
      guard let store = try? RestorationStore(folder: folder.path), (try? store.forget()) != nil else { continue }
      // One by one: what others put there meanwhile stays, and the folder with it.
      for name in names(in: folder.path) where StoreFileName.isOwn(name) { _ = unsafe unlink("\(folder.path)/\(name)") }
      _ = unsafe rmdir(folder.path)
      withExtendedLifetime(store) {}
    }
  }

  /// Whether a name is that of a folder for the position in a file, of whatever place.
  private static func isPosition(_ name: String) -> Bool {
    guard let hash = UInt64(name.prefix(16), radix: 16) else { return false }
    return name == self.name(of: hash) || (2...maximumPlaces).contains { name == "\(self.name(of: hash))-\($0)" }
  }

  /// Returns the name of the folder for the position in a file.
  private static func name(of path: String) -> String {
    let full = URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path
    return name(of: XXH64.hash(Array(full.utf8).span, seed: 0))
  }

  private static func name(of hash: UInt64) -> String { hash.text(width: 16, radix: 16) }

  /// Runs on a terminal until the user quits.
  ///
  /// The position is saved automatically. The whole file is checked meanwhile.
  public func run(on terminal: Terminal) async {
    let screen = FullScreen(on: terminal, usesMouse: true) { [self] columns, rows in
      if let error = restoration.lastError { browser.verdict = "the position is not saved: \(error)" }
      return BrowserScreen.grid(browser, columns: columns, rows: rows)
    }
    restoration.onResume = { screen.enter() }
    let (path, bytes) = (path, bytes)
    let check = Task.detached(priority: .utility) { () -> ArchiveCheck? in
      (bytes ?? (try? FileByteSource(path: path).readAll())).map { ArchiveCheck($0) }
    }
    let checked = Task { [self] in
      if let check = await check.value { browser.show(check) } else { browser.verdict = "not checked" }
      screen.update()
    }
    await screen.run { key in
      let (continues, text) = browser.handle(key)
      if !text.isEmpty { terminal.write(text) }
      return continues
    }
    checked.cancel()
    await restoration.end()
  }
}
