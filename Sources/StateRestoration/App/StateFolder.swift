import FoundationValues
import RestorationArchive
import SystemLibrary

extension AppConfiguration {
  /// The default folder for the state of an app, by the convention of the system.
  ///
  /// On Apple systems, `~/Library/Application Support/IDENTIFIER/Restoration`. Elsewhere,
  /// `$XDG_STATE_HOME/IDENTIFIER/restoration`, with `~/.local/state` if that variable is not an absolute path; `~` is
  /// then `$HOME`, or the home folder of the account if that is not an absolute path.
  public static func defaultFolder(for bundleIdentifier: String) -> String {
    defaultFolder(for: bundleIdentifier, environment: ProcessInfo.processInfo.environment, home: homeFolder)
  }

  static func defaultFolder(for bundleIdentifier: String, environment: [String: String], home: String) -> String {
    #if canImport(Darwin)
      "\(home)/Library/Application Support/\(bundleIdentifier)/Restoration"
    #else
      let paths = environment.filter { $0.value.hasPrefix("/") }
      let stateHome = paths["XDG_STATE_HOME"] ?? "\(paths["HOME"]?.droppingTrailingSlash ?? home)/.local/state"
      return "\(stateHome)/\(bundleIdentifier)/restoration"
    #endif
  }

  private static var homeFolder: String {
    #if canImport(Darwin)
      // The container of a sandboxed app; `homeDirectoryForCurrentUser` exists on macOS only.
      NSHomeDirectory()
    #else
      FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false).droppingTrailingSlash
    #endif
  }
}

extension String {
  fileprivate var droppingTrailingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}

/// The parent folders of a store.
enum StateFolder {
  /// Creates the missing parent folders of `path`, accessible to their owner only.
  ///
  /// Each new name is flushed: a completed save must not be lost with its parent folder.
  ///
  /// - Throws: ``FileSystemError`` if a system call fails.
  static func makeAncestors(of path: String, system: any StoreFileSystem = SystemFileSystem()) throws(FileSystemError) {
    var missing: [StoreFolder] = []
    var ancestor = parent(of: path)
    while ancestor != "/", ancestor != ".", !exists(ancestor, system) {
      missing.append(StoreFolder(path: ancestor, system: system))
      ancestor = parent(of: ancestor)
    }
    for folder in missing.reversed() {
      try folder.make()
      try folder.flushAbove()
    }
  }

  private static func exists(_ path: String, _ system: any StoreFileSystem) -> Bool {
    // A link to a folder counts; the store reports any other kind of file when it opens the folder.
    (try? system.status(at: path)) != nil
  }

  private static func parent(of path: String) -> String {
    var text = path[...]
    while text.count > 1, text.hasSuffix("/") { text = text.dropLast() }
    guard let slash = text.lastIndex(of: "/") else { return "." }
    return slash == text.startIndex ? "/" : String(text[..<slash])
  }
}

/// The standard error stream of the process.
enum StandardError {
  /// Writes text, stopping at the first error.
  static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe systemWrite(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

@unsafe private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
