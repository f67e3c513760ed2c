import Foundation

/// Foundation's coders over the natural Codable form of the model.
enum FoundationPeers {
  /// Returns an encoder of binary property lists.
  static func propertyListEncoder() -> PropertyListEncoder {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    return encoder
  }

  static func decodePropertyList(_ data: Data, as shapes: [NodeShape]) throws -> [BenchNode] {
    unsafe BenchForest.next = shapes
    return try PropertyListDecoder().decode(BenchForest.self, from: data).nodes
  }

  static func decodeJSON(_ data: Data, as shapes: [NodeShape]) throws -> [BenchNode] {
    unsafe BenchForest.next = shapes
    return try JSONDecoder().decode(BenchForest.self, from: data).nodes
  }

  /// Opens a file and decodes only the probe's string.
  ///
  /// The file is mapped, which avoids a copy. The probe's path begins with the last root.
  static func firstValueOfPropertyList(_ file: URL, of workload: Workload) throws -> String? {
    unsafe ProbedNode.key = BenchKey(workload.probe.key)
    return try PropertyListDecoder().decode([ProbedNode].self, from: Data(contentsOf: file, options: .mappedIfSafe)).last?.value
  }

  static func firstValueOfJSON(_ file: URL, of workload: Workload) throws -> String? {
    unsafe ProbedNode.key = BenchKey(workload.probe.key)
    return try JSONDecoder().decode([ProbedNode].self, from: Data(contentsOf: file, options: .mappedIfSafe)).last?.value
  }
}

/// Foundation's serializers of untyped values, with values in dictionaries and arrays, as an app without types would
/// hold them.
enum UntypedPeers {
  /// The formats differ in their value types: JSON has neither dates nor data.
  enum Format {
    case propertyList, json
  }

  static func deferred(_ roots: [BenchNode], for format: Format) -> [Any] { roots.map { object($0, format) } }

  private static func object(_ node: BenchNode, _ format: Format) -> [String: Any] {
    var result: [String: Any] = ["identifier": node.identifier, "type": node.type, "children": deferred(node.children, for: format)]
    for entry in node.entries { result[entry.key] = object(entry.value, format) }
    return result
  }

  static func object(_ value: BenchValue, _ format: Format) -> Any {
    switch value {
    case .string(let value): value
    case .integer(let value): value
    case .double(let value): value
    case .bool(let value): value
    case .date(let value): format == .json ? value.timeIntervalSinceReferenceDate : value
    case .data(let value): format == .json ? value.base64EncodedString() : value
    case .array(let elements): elements.map { object($0, format) }
    case .dictionary(let entries):
      Dictionary(uniqueKeysWithValues: entries.map { ($0.key, object($0.value, format)) })
    case .selection(let selection):
      ["section": selection.section, "row": selection.row, "identifier": selection.identifier] as [String: Any]
    }
  }

  static func writePropertyList(_ deferred: [Any]) throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: deferred, format: .binary, options: 0)
  }

  static func readPropertyList(_ data: Data) throws -> Any {
    try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
  }

  static func writeJSON(_ deferred: [Any]) throws -> Data { try JSONSerialization.data(withJSONObject: deferred) }

  static func readJSON(_ data: Data) throws -> Any { try JSONSerialization.jsonObject(with: data) }

  // MARK: Comparing

  /// Returns whether the values that a serializer read equal the model.
  static func isSame(_ read: Any, _ nodes: [BenchNode], _ format: Format) -> Bool {
    guard let read = read as? [Any], read.count == nodes.count else { return false }
    return zip(read, nodes).allSatisfy { isSame($0, $1, format) }
  }

  private static func isSame(_ read: Any, _ node: BenchNode, _ format: Format) -> Bool {
    guard let read = read as? [String: Any], read.count == node.entries.count + 3, read["identifier"] as? String == node.identifier,
      read["type"] as? String == node.type, let children = read["children"], isSame(children, node.children, format)
    else { return false }
    return node.entries.allSatisfy { entry in read[entry.key].map { isSame($0, object(entry.value, format)) } ?? false }
  }

  private static func isSame(_ read: Any, _ deferred: Any) -> Bool {
    switch deferred {
    case let deferred as String: read as? String == deferred
    case let deferred as Date: read as? Date == deferred
    case let deferred as Data: read as? Data == deferred
    case let deferred as [Any]:
      (read as? [Any]).map { $0.count == deferred.count && zip($0, deferred).allSatisfy { isSame($0, $1) } } ?? false
    case let deferred as [String: Any]:
      (read as? [String: Any]).map { read in
        read.count == deferred.count && deferred.allSatisfy { key, value in read[key].map { isSame($0, value) } ?? false }
      } ?? false
    default: isSameNumber(read, deferred)
    }
  }

  /// Compares numbers: on Linux, `JSONSerialization` reads many numbers with an error of a few units in the last place.
  private static func isSameNumber(_ read: Any, _ deferred: Any) -> Bool {
    guard let read = number(read), let deferred = number(deferred) else { return false }
    return abs(read - deferred) <= 1e-13 * abs(deferred)
  }

  private static func number(_ value: Any) -> Double? {
    switch value {
    case let value as NSNumber: value.doubleValue
    case let value as Int: Double(value)
    case let value as Bool: value ? 1 : 0
    case let value as Double: value
    default: nil
    }
  }
}

/// `NSKeyedArchiver` in the way UIKit uses it: keyed calls, and one archive per object.
enum KeyedArchiverPeer {
  /// Encodes one archive per node, in preorder.
  static func encode(_ workload: Workload) throws -> [Data] {
    var archives: [Data] = []
    for root in workload.roots { add(root, to: &archives) }
    return archives
  }

  private static func add(_ node: BenchNode, to archives: inout [Data]) {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(node.identifier, forKey: "identifier")
    archiver.encode(node.type, forKey: "type")
    for entry in node.entries {
      switch entry.value {
      case .integer(let value): archiver.encode(value, forKey: entry.key)
      case .double(let value): archiver.encode(value, forKey: entry.key)
      case .bool(let value): archiver.encode(value, forKey: entry.key)
      default: archiver.encode(UntypedPeers.object(entry.value, .propertyList), forKey: entry.key)
      }
    }
    archiver.finishEncoding()
    archives.append(archiver.encodedData)
    for child in node.children { add(child, to: &archives) }
  }

  /// Decodes every value of all archives as its type.
  static func decode(_ archives: [Data], of workload: Workload) throws {
    var archives = archives[...]
    for root in workload.roots { try decode(root, &archives) }
  }

  private static func decode(_ node: BenchNode, _ archives: inout ArraySlice<Data>) throws {
    guard let archive = archives.popFirst() else { return }
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archive)
    unarchiver.requiresSecureCoding = false
    for entry in node.entries {
      switch entry.value {
      case .integer: consume(unarchiver.decodeInteger(forKey: entry.key))
      case .double: consume(unarchiver.decodeDouble(forKey: entry.key))
      case .bool: consume(unarchiver.decodeBool(forKey: entry.key))
      default: consume(unarchiver.decodeObject(forKey: entry.key))
      }
    }
    unarchiver.finishDecoding()
    for child in node.children { try decode(child, &archives) }
  }
}
