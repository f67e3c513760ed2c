import Foundation
import RestorationArchive

/// This package, with keyed calls over the model.
enum ArchivePeer {
  /// Returns the writer of an app that saves for the first time.
  static func makeWriter(for workload: Workload) -> ArchiveWriter {
    ArchiveWriter(expectedNodeCount: workload.size.nodeCount)
  }

  /// Encodes one more archive with a reused writer.
  static func encodeAgain(_ workload: Workload, with writer: ArchiveWriter) throws -> Data {
    try writer.reset()
    return try encode(workload, with: writer)
  }

  /// Performs the part of ``encodeAgain(_:with:)`` that blocks the app's actor.
  static func finishEncoding(_ workload: Workload, with writer: ArchiveWriter) throws -> EncodedArchive {
    try writer.reset()
    for root in workload.roots { try add(root, to: writer, under: nil) }
    return try writer.finishEncoding()
  }

  static func encode(_ workload: Workload) throws -> Data { try encode(workload, with: makeWriter(for: workload)) }

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
    default: throw BenchError.element
    }
  }

  // MARK: Typed values

  /// Decodes all nodes with keyed calls, as an app does that knows its types.
  static func decode(_ archive: [UInt8], as shapes: [NodeShape]) throws -> [BenchNode] {
    try decode(below: ArchiveReader(archive).application(), as: shapes)
  }

  private static func decode(below parent: NodeReader, as shapes: [NodeShape]) throws -> [BenchNode] {
    let nodes = try parent.children()
    guard nodes.count == shapes.count else { throw BenchError("\(parent.path) has \(nodes.count) children instead of \(shapes.count)") }
    return try zip(nodes, shapes).map { try decode($0, as: $1) }
  }

  private static func decode(_ node: NodeReader, as shape: NodeShape) throws -> BenchNode {
    BenchNode(
      identifier: node.identifier ?? "", type: node.type ?? "", entries: try decode(node.decoder(), as: shape.fields),
      children: try decode(below: node, as: shape.children))
  }

  /// Decodes the values of one node; its decoder is released before those of its children are made, as the engine does it.
  private static func decode(_ coder: StateDecoder, as fields: [FieldShape]) throws -> [BenchEntry] {
    try fields.map { BenchEntry(key: $0.key.stringValue, value: try decode($0.shape, with: coder, forKey: $0.key.stringValue)) }
  }

  private static func decode(_ shape: ValueShape, with coder: StateDecoder, forKey key: String) throws -> BenchValue {
    switch shape {
    case .string: return .string(try coder.decode(String.self, forKey: key))
    case .integer: return .integer(try coder.decode(Int.self, forKey: key))
    case .double: return .double(try coder.decode(Double.self, forKey: key))
    case .bool: return .bool(try coder.decode(Bool.self, forKey: key))
    case .date: return .date(try coder.decode(Date.self, forKey: key))
    case .data: return .data(try coder.decode(Data.self, forKey: key))
    case .selection: return .selection(try coder.decode(BenchSelection.self, forKey: key))
    case .array(let shapes):
      return .array(try coder.decodeArray(forKey: key) { array in try shapes.map { try decode($0, in: &array) } })
    case .dictionary(let fields):
      return .dictionary(try coder.decodeDictionary(forKey: key) { try decode($0, as: fields) })
    }
  }

  private static func decode(_ shape: ValueShape, in array: inout ElementDecoder) throws -> BenchValue {
    switch shape {
    case .string: .string(try array.decode(String.self))
    case .integer: .integer(try array.decode(Int.self))
    default: throw BenchError.element
    }
  }

  /// Opens a file and reads the probe's string.
  static func firstValue(of file: URL, _ workload: Workload) throws -> String {
    let path = try RestorationPath(components: workload.probe.path)
    return try ArchiveReader(contentsOfFile: file.path).decoder(at: path).decode(String.self, forKey: workload.probe.key)
  }

  // MARK: The Codable workload

  /// Encodes the structs as the value of one key, with a new writer.
  static func encode(_ records: [CodableRecord]) throws -> Data {
    let writer = ArchiveWriter()
    try writer.encodeApplicationState { try $0.encode(records, forKey: "records") }
    return try writer.finish()
  }

  static func decodeRecords(_ archive: [UInt8]) throws -> [CodableRecord] {
    try ArchiveReader(archive).application().decoder().decode([CodableRecord].self, forKey: "records")
  }
}
