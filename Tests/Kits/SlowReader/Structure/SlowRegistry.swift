/// The tables of Spec/registry.md that a checker needs.
enum SlowRegistry {
  /// The magic (R-4.2-1).
  static let magic: [UInt8] = [0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a]

  /// "Damaged forms of the magic".
  static let damagedMagics: [[UInt8]] = [
    [0x89, 0x52, 0x53, 0x54, 0x0a, 0x1a, 0x0a],
    [0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0d, 0x0a],
    [0x89, 0x52, 0x53, 0x54, 0x0d, 0x0d, 0x0a, 0x1a, 0x0d, 0x0a],
    [0x89, 0x52, 0x53, 0x54, 0x0d, 0x1a, 0x0d],
    [0x89, 0x52, 0x53, 0x54, 0x0d, 0x1a, 0x0a],
    [0x09, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a],
    [0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a],
    [0x3f, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a],
    [0xc2, 0x89, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a],
    [0xef, 0xbf, 0xbd, 0x52, 0x53, 0x54, 0x0d, 0x0a, 0x1a, 0x0a],
    [0xef, 0xbb, 0xbf, 0x89, 0x52, 0x53, 0x54],
  ]

  /// "Header keys".
  private static let headerKeys: [(key: String, type: SlowHeaderType, isVolatile: Bool)] = [
    ("baseContentDigest", .string, false),
    ("bundleIdentifier", .string, false),
    ("bundleVersion", .string, false),
    ("systemVersion", .string, true),
    ("timestamp", .date, true),
    ("userInterfaceIdiom", .string, false),
    ("writer", .string, true),
  ]

  /// Returns the registered type of a header key, and whether the key is volatile; nil if the key is not registered.
  static func headerKey(_ key: [UInt8]) -> (type: SlowHeaderType, isVolatile: Bool)? {
    for entry in headerKeys where Array(entry.key.utf8) == key {
      return (entry.type, entry.isVolatile)
    }
    return nil
  }

  /// The key that names the file before a link (Spec 15.1).
  static func isBaseDigest(_ key: [UInt8]) -> Bool {
    key == Array("baseContentDigest".utf8)
  }

  /// "Attribute keys": none is registered in version 1.0.
  static func isAttributeKey(_ key: [UInt8]) -> Bool {
    false
  }

  /// R-3.3-1, R-3.3-3: unregistered keys contain a full stop.
  static func hasFullStop(_ key: [UInt8]) -> Bool {
    key.contains(0x2e)
  }
}
