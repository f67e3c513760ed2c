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
  private let isStrict: Bool
  private var isOdd = false
  private var followsReferences = true
  private var unreadable: Set<Int> = []
  /// Whether each object was read, with everything below it.
  private var isRead: [Bool] = []
  private var offsets: [Int] = []
  private var referenceSize = 0
  private var tableOffset = 0
  private var left = 20_000

  /// Reads a list without oddities.
  public static func read(_ bytes: [UInt8]) throws -> PlainPropertyList {
    var reader = SlowPropertyList(bytes: bytes, isStrict: true)
    return try reader.read()
  }

  /// Reads a list with the oddities of rule R-K2-6, and returns whether there are any.
  public static func readWithOddities(_ bytes: [UInt8]) throws -> (list: PlainPropertyList, isOdd: Bool) {
    var reader = SlowPropertyList(bytes: bytes, isStrict: false)
    return (try reader.read(), reader.isOdd)
  }

  private init(bytes: [UInt8], isStrict: Bool) {
    self.bytes = bytes
    self.isStrict = isStrict
  }

  /// Notes an oddity, or refuses the file.
  private mutating func accept(_ words: String) throws {
    if isStrict { throw Refusal.invalid(words) }
    isOdd = true
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
      offsets.append(offset >= 8 && offset < table ? Int(offset) : -1)
    }
    // Each object must be readable by itself, or nothing that the list needs may refer to it.
    isRead = offsets.map { _ in false }
    followsReferences = false
    for index in offsets.indices where (try? object(index, depth: 0)) == nil { unreadable.insert(index) }
    followsReferences = true
    isRead = offsets.map { _ in false }
    let needed = unreadable
    unreadable = []
    let list = try object(Int(top), depth: 0)
    unreadable = needed
    if !unreadable.isEmpty { try accept("unused object") }
    for index in offsets.indices where !isRead[index] { _ = try object(index, depth: 0) }
    return list
  }

  private mutating func object(_ index: Int, depth: Int) throws -> PlainPropertyList {
    left -= 1
    guard left > 0 else { throw Refusal.tooLarge }
    guard depth <= 512 else { throw Refusal.invalid("depth") }
    if unreadable.contains(index) { return .null }
    guard offsets[index] >= 0 else { throw Refusal.invalid("offset") }
    isRead[index] = true
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
      let numbers = try (0..<count).map { _ in
        let index = try value(referenceSize)
        guard index < UInt64(offsets.count) else { throw Refusal.invalid("reference") }
        return Int(index)
      }
      return followsReferences ? numbers : []
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
      if text.allSatisfy({ $0 < 128 }) { return .text(text) }
      try accept("text")
      return .text(Array(text.map { String(Unicode.Scalar($0)) }.joined().utf8))
    case 0x60...0x6F:
      let range = try take(try product(try length(), 2))
      let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
      if let text = String(validating: units, as: UTF16.self) { return .text(Array(text.utf8)) }
      try accept("text")
      return .text(Array(String(decoding: units, as: UTF16.self).utf8))
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
      let numbers = try references(count)
      let keys = try numbers.map { try object($0, depth: depth + 1) }
      let values = try references(count).map { try object($0, depth: depth + 1) }
      let readable = zip(numbers, keys).filter { !unreadable.contains($0.0) }.map(\.1)
      guard readable.allSatisfy({ if case .text = $0 { true } else { false } }) else { throw Refusal.invalid("keys") }
      if Set(readable).count != readable.count { try accept("keys") }
      return .dictionary(zip(keys, values).map { PlainEntry(key: $0, value: $1) })
    default: throw Refusal.invalid("marker")
    }
  }
}
