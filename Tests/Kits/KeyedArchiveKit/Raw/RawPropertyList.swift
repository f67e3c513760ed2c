/// A binary property list that is assembled from the bytes of its objects, and may be wrong in any place.
public struct RawPropertyList: Sendable {
  /// The first bytes.
  public var header = Array("bplist00".utf8)
  /// The bytes of each object, with its marker.
  public var objects: [[UInt8]] = []
  /// The size of a reference.
  public var referenceSize: Int
  /// The size of an entry of the offset table; nil for the smallest.
  public var offsetSize: Int?
  /// The number of the top object.
  public var top = 0
  /// Offsets that differ from those of the objects.
  public var offsets: [Int: Int] = [:]
  /// Fields of the trailer that differ, by their place: 6, 7, 8, 16 or 24.
  public var trailer: [Int: UInt64] = [:]

  /// Creates a list without objects.
  public init(referenceSize: Int = 1) {
    self.referenceSize = referenceSize
  }

  /// Creates a list of a tree, without any sharing.
  public init(_ value: PlainPropertyList, referenceSize: Int = 2, offsetSize: Int? = nil) {
    self.referenceSize = referenceSize
    self.offsetSize = offsetSize
    _ = add(value)
  }

  /// The offset of each object in the assembled file.
  public var places: [Int] {
    var places: [Int] = []
    var position = header.count
    for object in objects {
      places.append(position)
      position += object.count
    }
    return places
  }

  /// The assembled file.
  public var bytes: [UInt8] {
    var bytes = header + objects.joined()
    let table = bytes.count
    let size = offsetSize ?? (table < 1 << 8 ? 1 : table < 1 << 16 ? 2 : 4)
    for (number, place) in places.enumerated() { bytes += Self.integer(UInt64(offsets[number] ?? place), size) }
    bytes += [0, 0, 0, 0, 0, 0] + Self.integer(trailer[6] ?? UInt64(size), 1) + Self.integer(trailer[7] ?? UInt64(referenceSize), 1)
    bytes += Self.integer(trailer[8] ?? UInt64(objects.count), 8) + Self.integer(trailer[16] ?? UInt64(top), 8)
    return bytes + Self.integer(trailer[24] ?? UInt64(table), 8)
  }

  /// Adds an object; returns its number.
  @discardableResult
  public mutating func add(_ bytes: [UInt8]) -> Int {
    objects.append(bytes)
    return objects.count - 1
  }

  // MARK: Objects

  /// A big-endian integer of any size.
  public static func integer(_ value: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { $0 < 8 ? UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) : 0 }
  }

  /// A marker with a count.
  public static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    if count < 15 { return [kind | UInt8(count)] }
    let size = count < 256 ? 1 : count < 65_536 ? 2 : 4
    return [kind | 15, 0x10 | UInt8(size / 2)] + integer(UInt64(count), size)
  }

  /// A container of object numbers.
  public func container(_ kind: UInt8, count: Int, _ numbers: [Int]) -> [UInt8] {
    Self.marker(kind, count) + numbers.flatMap { Self.integer(UInt64($0), referenceSize) }
  }

  /// An array of object numbers.
  public func array(_ numbers: [Int]) -> [UInt8] { container(0xA0, count: numbers.count, numbers) }

  /// A dictionary of object numbers.
  public func dictionary(_ keys: [Int], _ values: [Int]) -> [UInt8] { container(0xD0, count: keys.count, keys + values) }

  /// An ASCII string.
  public static func ascii(_ text: String) -> [UInt8] { marker(0x50, text.utf8.count) + text.utf8 }

  /// Adds a tree; returns the number of its top.
  public mutating func add(_ value: PlainPropertyList) -> Int {
    let number = add([])
    objects[number] = encoded(value)
    return number
  }

  private mutating func encoded(_ value: PlainPropertyList) -> [UInt8] {
    switch value {
    case .null: return [0]
    case .bool(let value): return [value ? 9 : 8]
    case .integer(let value) where value >= 0 && value < 256: return [0x10, UInt8(value)]
    case .integer(let value):
      if let small = Int64(exactly: value) { return [0x13] + Self.integer(UInt64(bitPattern: small), 8) }
      return [0x14] + Self.integer(UInt64(truncatingIfNeeded: value >> 64), 8) + Self.integer(UInt64(truncatingIfNeeded: value), 8)
    case .real(let bits): return [0x23] + Self.integer(bits, 8)
    case .date(let bits): return [0x33] + Self.integer(bits, 8)
    case .data(let data): return Self.marker(0x40, data.count) + data
    case .text(let text) where text.allSatisfy { $0 < 0x80 }: return Self.marker(0x50, text.count) + text
    case .text(let text):
      let units = Array(String(decoding: text, as: UTF8.self).utf16)
      return Self.marker(0x60, units.count) + units.flatMap { Self.integer(UInt64($0), 2) }
    case .uid(let uid): return uid < 256 ? [0x80, UInt8(uid)] : [0x83] + Self.integer(uid, 4)
    case .array(let elements):
      let numbers = elements.map { add($0) }
      return array(numbers)
    case .set(let elements):
      let numbers = elements.map { add($0) }
      return container(0xC0, count: numbers.count, numbers)
    case .dictionary(let entries):
      let keys = entries.map { add($0.key) }
      let values = entries.map { add($0.value) }
      return dictionary(keys, values)
    }
  }
}
