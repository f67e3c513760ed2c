import Foundation
import RestorationArchive

/// The archive under test: keyed calls over the model.
enum ArchivePeer {
  /// A writer as an app has one that saves for the first time.
  static func makeWriter(for workload: Workload) -> ArchiveWriter {
    ArchiveWriter(expectedNodeCount: workload.size.nodeCount)
  }

  /// Writes one archive more with a writer, as an app does that saves again and again.
  static func encodeAgain(_ workload: Workload, with writer: ArchiveWriter) throws -> Data {
    try writer.reset()
    return try encode(workload, with: writer)
  }

  /// As ``encodeAgain(_:with:)``, up to where the app is done with it.
  static func handOver(_ workload: Workload, with writer: ArchiveWriter) throws -> EncodedArchive {
    try writer.reset()
    for root in workload.roots { try add(root, to: writer, under: nil) }
    return try writer.handOver()
  }

  static func encode(_ workload: Workload) throws -> Data {
    try encode(workload, with: makeWriter(for: workload))
  }

  private static func encode(_ workload: Workload, with writer: ArchiveWriter) throws -> Data {
    for root in workload.roots { try add(root, to: writer, under: nil) }
    return try writer.finish()
  }

  private static func add(_ node: BenchNode, to writer: ArchiveWriter, under parent: ArchiveWriter.Node?) throws {
    let added = try writer.addNode(node.identifier, under: parent, type: node.type) { coder in
      for index in node.entries.indices { try encode(node.entries[index].key, node.entries[index].value, with: coder) }
    }
    for index in node.children.indices { try add(node.children[index], to: writer, under: added) }
  }

  private static func encode(_ key: String, _ value: BenchValue, with coder: StateEncoder) throws {
    switch value {
    case .string(let value): try coder.encode(value, forKey: key)
    case .integer(let value): try coder.encode(value, forKey: key)
    case .double(let value): try coder.encode(value, forKey: key)
    case .bool(let value): try coder.encode(value, forKey: key)
    case .date(let value): try coder.encode(value, forKey: key)
    case .data(let value): try coder.encode(value, forKey: key)
    case .selection(let value): try coder.encode(value, forKey: key)
    case .array(let elements):
      try coder.encodeArray(forKey: key) { array in
        for index in elements.indices { try encode(elements[index], in: array) }
      }
    case .dictionary(let entries):
      try coder.encodeDictionary(forKey: key) { dictionary in
        for index in entries.indices { try encode(entries[index].key, entries[index].value, with: dictionary) }
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
        for index in elements.indices { try encode(elements[index], in: array) }
      }
    case .dictionary(let entries):
      try array.encodeDictionary { dictionary in
        for index in entries.indices { try encode(entries[index].key, entries[index].value, with: dictionary) }
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
