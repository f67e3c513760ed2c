import Foundation
import RestorationArchive

/// How an app makes sealed bytes durable.
enum DurableSave {
  static func save(_ archive: Data, to path: String) throws {
    try ArchiveFile.write(archive, to: path, replacement: .allowed)
  }
}
