import Foundation

/// How an app makes sealed bytes durable.
///
/// The package has no function for it yet, so this one stands in for it.
enum DurableSave {
  static func save(_ archive: Data, to path: String) throws {
    try BareWrite.write(archive, to: path)
  }
}
