import Foundation
import SlowReader
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

  /// An archive whose prefix copies have version 2 and correct digests.
  static func ofLaterVersion() throws -> [UInt8] {
    var bytes = try bytes(1)
    for start in [0, bytes.count - 64] {
      bytes[start + 8] = 2
      let digest = SlowXXH64.hash(Array(bytes[start..<(start + 56)]), seed: 0)
      for index in 0..<8 { bytes[start + 56 + index] = UInt8(truncatingIfNeeded: digest >> UInt64(8 * index)) }
    }
    return bytes
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
