import RestorationArchive

/// Shorthand for tests of the coder.
enum Fixture {
  /// The path of the node that the tests encode.
  static let path: RestorationPath = "root/list"

  /// Encodes the state of one node and opens the archive.
  static func archive(_ body: (StateEncoder) throws -> Void) throws -> ArchiveReader {
    let writer = ArchiveWriter()
    let root = try writer.addNode("root")
    try writer.addNode("list", under: root, encoding: body)
    return try ArchiveReader(writer.finish())
  }

  /// Encodes the state of one node and opens it for decoding.
  static func coder(_ body: (StateEncoder) throws -> Void) throws -> StateDecoder {
    try archive(body).decoder(at: path)
  }

  /// Encodes a value and decodes it again.
  static func roundTrip<Value: Codable>(_ value: Value) throws -> Value {
    try coder { try $0.encode(value, forKey: "value") }.decode(Value.self, forKey: "value")
  }
}
