#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif
import RestorationArchive

/// The folders above that of a store.
enum StateFolder {
  /// Makes the folders above `path` that do not exist, for their owner alone.
  ///
  /// Each new name is flushed: a save that was reported must not be lost with the folder above it.
  ///
  /// - Throws: ``FileSystemError`` if the system refuses.
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
    // A link to a folder counts; what else it may be, the store says when it opens the folder.
    (try? system.status(at: path)) != nil
  }

  private static func parent(of path: String) -> String {
    var text = path[...]
    while text.count > 1, text.hasSuffix("/") { text = text.dropLast() }
    guard let slash = text.lastIndex(of: "/") else { return "." }
    return slash == text.startIndex ? "/" : String(text[..<slash])
  }
}

/// The standard error of the process.
enum StandardError {
  /// Writes text, as far as the system takes it.
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
