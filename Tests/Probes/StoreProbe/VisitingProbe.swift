import FoundationEssentials
import StateRestoration

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

  /// Performs an app's typical operations in a folder.
  static func visit(_ folder: String) {
    do {
      let store = try RestorationStore(folder: folder)
      let reason = try store.beginLaunch(bundleVersion: "1")
      let found = try found(store)
      try store.save(StoreProbe.archive(77))
      // Only confirms the previous save, and so writes no new file.
      try store.save(StoreProbe.archive(77), at: .init(timeIntervalSinceReferenceDate: 5))
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
