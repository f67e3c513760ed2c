import Foundation
import StateRestoration

/// Small archives that contain their own number.
enum SampleArchive {
  static func bytes(_ number: Int, bundleVersion: String? = "1", timestamp: Date? = nil) throws -> [UInt8] {
    [UInt8](try data(number, bundleVersion: bundleVersion, timestamp: timestamp))
  }

  static func data(_ number: Int, bundleVersion: String? = "1", timestamp: Date? = nil) throws -> Data {
    let tree = ArchiveTree(
      header: ArchiveHeader(bundleVersion: bundleVersion, timestamp: timestamp), applicationState: ["number": .integer(number)],
      nodes: [ArchiveNode("root", type: "Window", children: [ArchiveNode("bad"), ArchiveNode("good")])])
    return try tree.encoded()
  }

  static func number(in reader: ArchiveReader) throws -> Int {
    try reader.application().decoder().decode(Int.self, forKey: "number")
  }
}

extension StoreLoad {
  /// The number of the sample that was found; nil if there is no file.
  var number: Int? {
    get throws { try archive.map { try SampleArchive.number(in: $0.reader) } }
  }
}
