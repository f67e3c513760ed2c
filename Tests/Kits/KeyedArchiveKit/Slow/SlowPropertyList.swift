/// A slow, clear reader of binary property lists, written from the facts alone.
///
/// It expands all sharing and recurses, so that it is for small files.
public struct SlowPropertyList {
  /// A refused file, or one that is too large for this reader.
  public enum Refusal: Error {
    case invalid(String)
    case tooLarge
  }

  private let bytes: [UInt8]
  private var offsets: [Int] = []
  private var referenceSize = 0
  private var tableOffset = 0
  private var left = 20_000

  /// Reads a list.
  public static func read(_ bytes: [UInt8]) throws -> PlainPropertyList {
    var reader = SlowPropertyList(bytes: bytes)
    return try reader.read()
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  private func number(_ start: Int, _ count: Int) throws -> UInt64 {
    guard start >= 0, count <= bytes.count - start else { throw Refusal.invalid("end") }
    var value: UInt64 = 0
    for byte in bytes[start..<(start + count)] { value = value << 8 | UInt64(byte) }
    return value
  }

  private mutating func read() throws -> PlainPropertyList {
    guard bytes.count >= 41, bytes.starts(with: "bplist0".utf8) else { throw Refusal.invalid("header") }
    let end = bytes.count - 32
    let (offsetSize, size) = (Int(bytes[end + 6]), Int(bytes[end + 7]))
    let (count, top, table) = (try number(end + 8, 8), try number(end + 16, 8), try number(end + 24, 8))
    guard (1...8).contains(offsetSize), (1...8).contains(size), count >= 1, top < count, table >= 9, table < end else {
      throw Refusal.invalid("trailer")
    }
    guard UInt128(count) * UInt128(offsetSize) + UInt128(table) == UInt128(end) else { throw Refusal.invalid("table") }
    guard UInt128(1) << UInt128(8 * size) > UInt128(count), UInt128(1) << UInt128(8 * offsetSize) > UInt128(table) else {
      throw Refusal.invalid("width")
    }
    referenceSize = size
    tableOffset = Int(table)
    for index in 0..<Int(count) {
      let offset = try number(tableOffset + index * offsetSize, offsetSize)
      guard offset >= 8, offset < table else { throw Refusal.invalid("offset") }
      offsets.append(Int(offset))
    }
    // Each object must be readable by itself, whether something refers to it or not.
    for index in offsets.indices { _ = try object(index, depth: 0) }
    return try object(Int(top), depth: 0)
  }

  private mutating func object(_ index: Int, depth: Int) throws -> PlainPropertyList {
    left -= 1
    guard left > 0 else { throw Refusal.tooLarge }
    guard depth <= 512 else { throw Refusal.invalid("depth") }
    var position = offsets[index]
    let marker = bytes[position]
    position += 1
    func take(_ count: Int) throws -> Range<Int> {
      guard count >= 0, count <= tableOffset - position else { throw Refusal.invalid("length") }
      position += count
      return (position - count)..<position
    }
    func value(_ count: Int) throws -> UInt64 {
      let range = try take(count)
      return try number(range.lowerBound, range.count)
    }
    func length() throws -> Int {
      guard marker & 15 == 15 else { return Int(marker & 15) }
      let size = bytes[try take(1).lowerBound]
      guard (0x10...0x13).contains(size) else { throw Refusal.invalid("count") }
      return Int(clamping: try value(1 << Int(size & 15)))
    }
    func product(_ left: Int, _ right: Int) throws -> Int {
      let (result, isTooMuch) = left.multipliedReportingOverflow(by: right)
      guard !isTooMuch else { throw Refusal.invalid("length") }
      return result
    }
    func references(_ count: Int) throws -> [Int] {
      _ = try { guard try product(count, referenceSize) <= tableOffset - position else { throw Refusal.invalid("length") } }()
      return try (0..<count).map { _ in
        let index = try value(referenceSize)
        guard index < UInt64(offsets.count) else { throw Refusal.invalid("reference") }
        return Int(index)
      }
    }
    switch marker {
    case 0x00: return .null
    case 0x08, 0x09: return .bool(marker == 9)
    case 0x10, 0x11, 0x12: return .integer(Int128(try value(1 << Int(marker & 15))))
    case 0x13: return .integer(Int128(Int64(bitPattern: try value(8))))
    case 0x14:
      let high = Int128(Int64(bitPattern: try value(8)))
      return .integer(high * (Int128(1) << 64) + Int128(try value(8)))
    case 0x22: return .real(Double(Float(bitPattern: UInt32(try value(4)))).bitPattern)
    case 0x23: return .real(try value(8))
    case 0x33:
      let bits = try value(8)
      guard !Double(bitPattern: bits).isNaN else { throw Refusal.invalid("date") }
      return .date(bits)
    case 0x40...0x4F: return .data(Array(bytes[try take(try length())]))
    case 0x50...0x5F:
      let text = Array(bytes[try take(try length())])
      guard text.allSatisfy({ $0 < 128 }) else { throw Refusal.invalid("text") }
      return .text(text)
    case 0x60...0x6F:
      let range = try take(try product(try length(), 2))
      let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      guard let text = String(validating: units, as: UTF16.self) else { throw Refusal.invalid("text") }
      return .text(Array(text.utf8))
    case 0x70...0x7F:
      let range = try take(try length())
      guard String(validating: bytes[range], as: UTF8.self) != nil else { throw Refusal.invalid("text") }
      return .text(Array(bytes[range]))
    case 0x80...0x8F:
      guard marker < 0x88 else { throw Refusal.invalid("uid") }
      let uid = try value(Int(marker & 15) + 1)
      guard uid <= 0xFFFF_FFFF else { throw Refusal.invalid("uid") }
      return .uid(uid)
    case 0xA0...0xDF where depth >= 512: throw Refusal.invalid("depth")
    case 0xA0...0xAF: return .array(try references(try length()).map { try object($0, depth: depth + 1) })
    case 0xC0...0xCF: return .set(try references(try length()).map { try object($0, depth: depth + 1) })
    case 0xD0...0xDF:
      let count = try length()
      let keys = try references(count).map { try object($0, depth: depth + 1) }
      let values = try references(count).map { try object($0, depth: depth + 1) }
      guard keys.allSatisfy({ if case .text = $0 { true } else { false } }), Set(keys).count == count else { throw Refusal.invalid("keys") }
      return .dictionary(zip(keys, values).map { PlainEntry(key: $0, value: $1) })
    default: throw Refusal.invalid("marker")
    }
  }
}
