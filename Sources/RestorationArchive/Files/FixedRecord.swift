import ArchiveFormat

/// The bytes of a small record of a fixed layout that is kept beside archives: little-endian integers and texts.
package struct FixedRecord {
  /// The bytes.
  package private(set) var bytes: [UInt8]

  /// Creates an empty record, to be appended to.
  package init() {
    bytes = []
    bytes.reserveCapacity(256)
  }

  /// Wraps the bytes of a record, to be read.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Appends integers.
  package mutating func append<each Value: FixedWidthInteger>(_ values: repeat each Value) {
    for value in repeat each values { unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) } }
  }

  /// Appends bytes.
  package mutating func append(contentsOf added: [UInt8]) {
    bytes += added
  }

  /// Returns the integer at `offset`; traps if it does not lie within the bytes.
  package func uint32(at offset: Int) -> UInt32 { bytes.span.uint32(at: offset) }

  /// Returns the integer at `offset`; traps if it does not lie within the bytes.
  package func uint64(at offset: Int) -> UInt64 { bytes.span.uint64(at: offset) }

  /// Returns the XXH64 checksum of the first `count` bytes.
  package func checksum(of count: Int) -> UInt64 { XXH64.hash(bytes.span.extracting(0..<count)) }

  /// Appends the checksum of the bytes so far.
  package mutating func appendChecksum() { append(checksum(of: bytes.count)) }

  /// Returns the XXH64 hash of a text.
  package static func hash(_ text: String) -> UInt64 { text.withUTF8Bytes { XXH64.hash($0) } }
}
