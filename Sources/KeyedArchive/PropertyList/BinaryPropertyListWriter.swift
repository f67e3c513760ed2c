extension PropertyList {
  /// Returns the list as a binary property list.
  ///
  /// The top object comes first, and each container before its contents. Equal scalars are written once, containers
  /// once for each of their numbers. Objects that the top object does not reach are left out.
  ///
  /// - Throws: `top-object`, `object-reference` for a number that is not that of an object; `key-type`, `repeated-key`,
  ///   `container-cycle`, `import-depth` for a list that cannot be a property list; `date-not-a-number`.
  /// - Complexity: O(n) in the size of the list.
  public func encodedBinary() throws(KeyedArchiveError) -> [UInt8] {
    let reached = try reachable()
    try reached.validateShape(ImportContext(ImportLimits(objects: .max, workPerByte: .max), byteCount: 2, .strict))
    var writer = BinaryPropertyListWriter(reached)
    return try writer.write()
  }
}

/// A writer of binary property lists.
private struct BinaryPropertyListWriter {
  private let list: PropertyList
  /// The numbers of the source, in the order of writing.
  private var order: [Int] = []
  /// The written number of each source object; -1 if it has none yet.
  private var written: [Int]
  private var scalars: [Scalar: Int] = [:]
  private var bytes = Array("bplist00".utf8)

  /// A scalar with equality of its written form.
  private enum Scalar: Hashable {
    case real(UInt64)
    case date(UInt64)
    case text([UInt8])
    case other(PropertyList.Object)

    init?(_ object: PropertyList.Object) {
      switch object {
      case .real(let value): self = .real(value.bitPattern)
      case .date(let value): self = .date(value.bitPattern)
      case .string(let text): self = .text(Array(text.utf8))
      case .null, .bool, .integer, .data, .uid: self = .other(object)
      case .array, .set, .dictionary: return nil
      }
    }
  }

  init(_ list: PropertyList) {
    self.list = list
    written = [Int](repeating: -1, count: list.objects.count)
  }

  mutating func write() throws(KeyedArchiveError) -> [UInt8] {
    number()
    let referenceSize = Self.size(for: order.count)
    var offsets: [Int] = []
    for source in order {
      offsets.append(bytes.count)
      try write(list[source], referenceSize)
    }
    let table = bytes.count
    let offsetSize = Self.size(for: table)
    for offset in offsets { append(UInt64(offset), offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    for number in [order.count, 0, table] { append(UInt64(number), 8) }
    return bytes
  }

  /// Numbers the objects in preorder from the top.
  private mutating func number() {
    var rest = [list.top]
    while let source = rest.popLast() {
      guard written[source] < 0 else { continue }
      if let scalar = Scalar(list[source]) {
        if let same = scalars[scalar] {
          written[source] = same
          continue
        }
        scalars[scalar] = order.count
      }
      written[source] = order.count
      order.append(source)
      rest += (list[source].contents ?? []).reversed()
    }
  }

  private mutating func write(_ object: PropertyList.Object, _ referenceSize: Int) throws(KeyedArchiveError) {
    switch object {
    case .null: bytes.append(0x00)
    case .bool(let value): bytes.append(value ? 0x09 : 0x08)
    case .integer(let value): write(value)
    case .real(let value):
      bytes.append(0x23)
      append(value.bitPattern, 8)
    case .date(let seconds):
      guard !seconds.isNaN else { throw KeyedArchiveError(.dateNotANumber, at: nil, "date", expected: "a number") }
      bytes.append(0x33)
      append(seconds.bitPattern, 8)
    case .data(let data):
      write(marker: 0x40, count: data.count)
      bytes += data
    case .string(let text): write(text)
    case .uid(let uid):
      let size = uid < 1 << 8 ? 1 : uid < 1 << 16 ? 2 : 4
      bytes.append(0x80 | UInt8(size - 1))
      append(UInt64(uid), size)
    case .array(let numbers): write(marker: 0xA0, count: numbers.count, numbers, referenceSize)
    case .set(let numbers): write(marker: 0xC0, count: numbers.count, numbers, referenceSize)
    case .dictionary(let entries):
      write(marker: 0xD0, count: entries.count, entries.map(\.key) + entries.map(\.value), referenceSize)
    }
  }

  private mutating func write(marker: UInt8, count: Int, _ contents: [Int], _ referenceSize: Int) {
    write(marker: marker, count: count)
    for source in contents { append(UInt64(written[source]), referenceSize) }
  }

  private mutating func write(_ value: Int128) {
    if let small = Int64(exactly: value) {
      let size = small < 0 ? 8 : small < 1 << 8 ? 1 : small < 1 << 16 ? 2 : small < 1 << 32 ? 4 : 8
      bytes.append(0x10 | UInt8(size.trailingZeroBitCount))
      append(UInt64(bitPattern: small), size)
    } else {
      bytes.append(0x14)
      append(UInt64(truncatingIfNeeded: value >> 64), 8)
      append(UInt64(truncatingIfNeeded: value), 8)
    }
  }

  private mutating func write(_ text: String) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      write(marker: 0x50, count: text.utf8.count)
      bytes += text.utf8
    } else {
      let units = Array(text.utf16)
      write(marker: 0x60, count: units.count)
      for unit in units { append(UInt64(unit), 2) }
    }
  }

  private mutating func write(marker: UInt8, count: Int) {
    if count < 15 {
      bytes.append(marker | UInt8(count))
    } else {
      bytes.append(marker | 0x0F)
      write(Int128(count))
    }
  }

  private mutating func append(_ number: UInt64, _ size: Int) {
    for index in (0..<size).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
  }

  /// Returns the smallest power of two bytes that hold a number.
  private static func size(for number: Int) -> Int {
    UInt8(exactly: number) != nil ? 1 : UInt16(exactly: number) != nil ? 2 : UInt32(exactly: number) != nil ? 4 : 8
  }
}
