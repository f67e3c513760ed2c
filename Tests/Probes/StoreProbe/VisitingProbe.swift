import Foundation
import StateRestoration
import SystemLibrary

/// Short visits to folders and files with arbitrary contents.
enum VisitingProbe {
  /// Keeps a store open, and saves the numbers from its input.
  static func hold(_ folder: String) throws {
    let store = try RestorationStore(folder: folder)
    StoreProbe.say("ready")
    while let line = readLine() {
      guard let number = Int(line) else { return store.endLaunch() }
      do {
        _ = try store.save(StoreProbe.archive(number))
        StoreProbe.say("saved \(number)")
      } catch {
        StoreProbe.say("\(error)")
      }
    }
  }

  /// Saves in a folder given by a relative path, and again after the working directory has changed.
  static func saveRelative(_ folder: String) throws {
    _ = FileManager.default.changeCurrentDirectoryPath(folder)
    let store = try RestorationStore(folder: "store")
    try store.save(StoreProbe.archive(1))
    _ = FileManager.default.changeCurrentDirectoryPath("/")
    try store.save(StoreProbe.archive(2))
    store.endLaunch()
  }

  /// Saves a short archive, one that is longer than this process may write, and another short one.
  static func saveLimited(_ folder: String) throws {
    let store = try RestorationStore(folder: folder)
    _ = try store.beginLaunch(bundleVersion: "1")
    var limit = rlimit(rlim_cur: 1 << 16, rlim_max: 1 << 16)
    #if canImport(Glibc)
      _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    #else
      _ = unsafe setrlimit(RLIMIT_FSIZE, &limit)
    #endif
    var random = SystemRandomNumberGenerator()
    let noise = ArchiveValue.data(.init((0..<(1 << 18)).map { _ in UInt8.random(in: 0...255, using: &random) }))
    for state in [["number": .integer(1)], ["noise": noise], ["number": .integer(2)]] as [ArchiveDictionary] {
      do {
        StoreProbe.say("\(try store.save(ArchiveTree(applicationState: state).encoded()).rawValue)")
      } catch {
        StoreProbe.say("\(error)")
      }
    }
  }

  /// Performs an app's typical operations in a folder.
  static func visit(_ folder: String) {
    do {
      let store = try RestorationStore(folder: folder)
      let reason = try store.beginLaunch(bundleVersion: "1")
      let found = try found(store)
      try store.save(StoreProbe.archive(77))
      // Only confirms the previous save, and so writes no new file.
      try store.save(StoreProbe.archive(77), now: .init(timeIntervalSinceReferenceDate: 5))
      try store.save(StoreProbe.archive(78))
      store.markStable()
      let saved = try self.found(store)
      store.endLaunch()
      let again = try RestorationStore(folder: folder)
      let next = try again.beginLaunch(bundleVersion: "1")
      StoreProbe.say("\(reason.rawValue) \(found) \(saved) \(next.rawValue) \(try self.found(again))")
    } catch {
      StoreProbe.say("\(error)")
    }
  }

  private static func found(_ store: RestorationStore) throws -> String {
    try store.load().archive.map { "\(try StoreProbe.number(in: $0.reader))" } ?? "none"
  }

  /// Opens a file as an archive.
  static func read(_ file: String) {
    do throws(ArchiveError) {
      let reader = try ArchiveReader(contentsOfFile: file)
      StoreProbe.say("\(reader.nodeCount) nodes")
    } catch {
      StoreProbe.say("\(error.code): \(error.found)")
    }
  }
}
