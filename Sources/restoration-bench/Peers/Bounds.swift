import Foundation
import SystemLibrary

/// The minimal system calls to replace a file durably.
enum BareWrite {
  static func write(_ data: Data, to path: String) throws {
    let temporary = path + ".tmp"
    let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw POSIXError.last }
    defer { close(file) }
    try unsafe data.withUnsafeBytes { bytes in
      var written = 0
      while written < bytes.count {
        let count = unsafe bytes.baseAddress.map { unsafe Foundation.write(file, $0 + written, bytes.count - written) } ?? 0
        guard count > 0 else { throw POSIXError.last }
        written += count
      }
    }
    guard fsync(file) == 0, unsafe rename(temporary, path) == 0 else { throw POSIXError.last }
    let folder = unsafe open((path as NSString).deletingLastPathComponent, O_RDONLY)
    guard folder >= 0 else { throw POSIXError.last }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw POSIXError.last }
  }
}

extension POSIXError {
  /// The error of the last failed system call.
  static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

// A format that takes an hour to write: a tag before every value, no index, no checksums, no limits. It shows the cost
// of the essential work.

/// Writes the model in the naive format.
struct NaiveWriter {
  private(set) var bytes: [UInt8] = []

  /// Encodes nodes into an array with room for `capacity` bytes.
  ///
  /// The capacity is the length of the last result for a reused writer, and 0 for a new one.
  static func encode(_ nodes: [BenchNode], capacity: Int) -> [UInt8] {
    var writer = NaiveWriter()
    writer.bytes.reserveCapacity(capacity)
    writer.write(nodes)
    return writer.bytes
  }

  private mutating func write(_ nodes: [BenchNode]) {
    write(UInt32(nodes.count))
    for index in nodes.indices {
      write(nodes[index].identifier)
      write(nodes[index].type)
      write(nodes[index].entries)
      write(nodes[index].children)
    }
  }

  private mutating func write(_ entries: [BenchEntry]) {
    write(UInt32(entries.count))
    for index in entries.indices {
      write(entries[index].key)
      write(entries[index].value)
    }
  }

  private mutating func write(_ value: BenchValue) {
    switch value {
    case .string(let value): write(tag: 0) { $0.write(value) }
    case .integer(let value): write(tag: 1) { $0.write(value) }
    case .double(let value): write(tag: 2) { $0.write(value.bitPattern) }
    case .bool(let value): write(tag: value ? 4 : 3) { _ in }
    case .date(let value): write(tag: 5) { $0.write(value.timeIntervalSinceReferenceDate.bitPattern) }
    case .data(let value): write(tag: 6) { $0.write(value) }
    case .array(let elements): write(tag: 7) { $0.write(elements) }
    case .dictionary(let entries): write(tag: 8) { $0.write(entries) }
    case .selection(let value):
      write(tag: 9) {
        $0.write(value.section)
        $0.write(value.row)
        $0.write(value.identifier)
      }
    }
  }

  @inline(__always)
  private mutating func write(tag: UInt8, _ content: (inout NaiveWriter) -> Void) {
    bytes.append(tag)
    content(&self)
  }

  private mutating func write(_ elements: [BenchValue]) {
    write(UInt32(elements.count))
    for index in elements.indices { write(elements[index]) }
  }

  private mutating func write(_ data: Data) {
    write(UInt32(data.count))
    bytes.append(contentsOf: data)
  }

  private mutating func write(_ text: String) {
    write(UInt32(text.utf8.count))
    let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe bytes.append(contentsOf: $0) }
    if isWritten == nil { bytes.append(contentsOf: text.utf8) }
  }

  private mutating func write<Number: FixedWidthInteger>(_ number: Number) {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }
}

/// Reads the model from the trusted bytes of a ``NaiveWriter``.
struct NaiveReader {
  private let bytes: [UInt8]
  private var offset = 0

  static func decode(_ bytes: [UInt8]) throws -> [BenchNode] {
    var reader = NaiveReader(bytes: bytes)
    return try reader.readNodes()
  }

  private mutating func readNodes() throws -> [BenchNode] {
    try readList {
      BenchNode(identifier: $0.readText(), type: $0.readText(), entries: try $0.readEntries(), children: try $0.readNodes())
    }
  }

  private mutating func readEntries() throws -> [BenchEntry] {
    try readList { BenchEntry(key: $0.readText(), value: try $0.readValue()) }
  }

  private mutating func readValue() throws -> BenchValue {
    let tag = readNumber(UInt8.self)
    switch tag {
    case 0: return .string(readText())
    case 1: return .integer(readNumber(Int.self))
    case 2: return .double(Double(bitPattern: readNumber(UInt64.self)))
    case 3, 4: return .bool(tag == 4)
    case 5: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: readNumber(UInt64.self))))
    case 6: return .data(Data(readBytes()))
    case 7: return .array(try readList { try $0.readValue() })
    case 8: return .dictionary(try readEntries())
    case 9:
      return .selection(BenchSelection(section: readNumber(Int.self), row: readNumber(Int.self), identifier: readText()))
    default: throw BenchError("unknown tag \(tag)")
    }
  }

  private mutating func readList<Element>(_ element: (inout NaiveReader) throws -> Element) rethrows -> [Element] {
    let count = Int(readNumber(UInt32.self))
    var result: [Element] = []
    result.reserveCapacity(count)
    for _ in 0..<count { result.append(try element(&self)) }
    return result
  }

  private mutating func readText() -> String { String(decoding: readBytes(), as: UTF8.self) }

  private mutating func readBytes() -> ArraySlice<UInt8> {
    let count = Int(readNumber(UInt32.self))
    defer { offset += count }
    return bytes[offset..<(offset + count)]
  }

  private mutating func readNumber<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
    defer { offset += MemoryLayout<Number>.size }
    return unsafe bytes.withUnsafeBytes { unsafe Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type)) }
  }
}
