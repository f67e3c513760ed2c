import Foundation
import RestorationArchive

/// A value of the sample.
struct Filter: Codable, Equatable {
  var text: String
  var flags: [Int]
}

/// Runs the sample of README.md.
func runReadmeSample(now: Date, file: URL) throws -> (row: Int, filter: Filter?) {
  // Sample begins.
  // Saving: parents before children, each node under its restoration identifier.
  let writer = ArchiveWriter(header: ArchiveHeader(bundleVersion: "42", timestamp: now))
  try writer.encodeApplicationState { try $0.encode("dark", forKey: "theme") }
  let window = try writer.addNode("root", type: "Window", schemaVersion: 2) { coder in
    try coder.encode(1.5, forKey: "zoom")
    try coder.encode(path: "root/list", forKey: "selected")
  }
  try writer.addNode("list", under: window, type: "List") { coder in
    try coder.encode(7, forKey: "row")
    try coder.encode(Filter(text: "unread", flags: [1, 2]), forKey: "filter")  // any Codable value
  }
  try writer.finish().write(to: file)

  // Restoring: each read loads only the blocks it needs.
  let archive = try ArchiveReader(contentsOfFile: file.path)
  let list = try archive.decoder(at: "root/list")
  let row = try list.decode(Int.self, forKey: "row", default: 0)
  let filter = try list.decodeIfPresent(Filter.self, forKey: "filter")
  // Sample ends.
  return (row, filter)
}
