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
    case .array, .dictionary: try coder.encode(archiveValue(entry.value), forKey: entry.key)
    }
  }

  private static func archiveValue(_ value: BenchValue) -> ArchiveValue {
    switch value {
    case .string(let value): .string(value)
    case .integer(let value): .integer(value)
    case .double(let value): .float(value)
    case .bool(let value): .bool(value)
    case .date(let value): .date(value)
    case .data(let value): .data(value)
    case .array(let elements): .array(elements.map(archiveValue))
    case .dictionary(let entries): .dictionary(ArchiveDictionary(entries.map { ($0.key, archiveValue($0.value)) }))
    case .selection(let selection):
      ["section": .integer(selection.section), "row": .integer(selection.row), "identifier": .string(selection.identifier)]
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
