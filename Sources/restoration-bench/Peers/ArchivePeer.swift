import Foundation
import RestorationArchive

/// The archive under test: keyed calls over the model.
enum ArchivePeer {
  static func encode(_ workload: Workload) throws -> Data {
    let writer = ArchiveWriter(expectedNodeCount: workload.size.nodeCount)
    for root in workload.roots { try add(root, to: writer, under: nil) }
    return try writer.finish()
  }

  private static func add(_ node: BenchNode, to writer: ArchiveWriter, under parent: ArchiveWriter.Node?) throws {
    let added = try writer.addNode(node.identifier, under: parent, type: node.type) { coder in
      for entry in node.entries { try encode(entry, with: coder) }
    }
    for child in node.children { try add(child, to: writer, under: added) }
  }

  private static func encode(_ entry: BenchEntry, with coder: StateEncoder) throws {
    switch entry.value {
    case .string(let value): try coder.encode(value, forKey: entry.key)
    case .integer(let value): try coder.encode(value, forKey: entry.key)
    case .double(let value): try coder.encode(value, forKey: entry.key)
    case .bool(let value): try coder.encode(value, forKey: entry.key)
    case .date(let value): try coder.encode(value, forKey: entry.key)
    case .data(let value): try coder.encode(value, forKey: entry.key)
    case .selection(let value): try coder.encode(value, forKey: entry.key)
    case .array(let elements):
      try coder.encodeArray(forKey: entry.key) { array in
        for element in elements { try encode(element, in: array) }
      }
    case .dictionary(let entries):
      try coder.encodeDictionary(forKey: entry.key) { dictionary in
        for entry in entries { try encode(entry, with: dictionary) }
      }
    }
  }

  private static func encode(_ value: BenchValue, in array: ElementEncoder) throws {
    switch value {
    case .string(let value): try array.encode(value)
    case .integer(let value): try array.encode(value)
    case .double(let value): try array.encode(value)
    case .bool(let value): try array.encode(value)
    case .date(let value): try array.encode(value)
    case .data(let value): try array.encode(value)
    case .selection(let value): try array.encode(value)
    case .array(let elements):
      try array.encodeArray { array in
        for element in elements { try encode(element, in: array) }
      }
    case .dictionary(let entries):
      try array.encodeDictionary { dictionary in
        for entry in entries { try encode(entry, with: dictionary) }
      }
    }
  }

  static func decode(_ archive: [UInt8]) throws -> ArchiveTree {
    try ArchiveTree(decoding: ArchiveReader(archive))
  }

  /// The Codable workload as the value of one key.
  static func encode(_ records: [CodableRecord]) throws -> Data {
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encode(records, forKey: "records") }
    return try writer.finish()
  }

  static func decodeRecords(_ archive: [UInt8]) throws -> [CodableRecord] {
    try ArchiveReader(archive).application().decoder().decode([CodableRecord].self, forKey: "records")
  }
}
