import PropertyKit

/// Mutates binary property lists, also those within data, and keeps offset table and trailer correct most of the time,
/// so that faults lie deep.
public struct PropertyListMutator {
  private var random: SeededGenerator

  /// Creates a mutator.
  public init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Returns a mutated copy.
  public mutating func mutate(_ bytes: [UInt8], depth: Int = 0) -> [UInt8] {
    if !random.oneIn(5), var list = Self.parsed(bytes) {
      for _ in 0..<(1 + random.below(3)) { change(&list, depth) }
      return list.bytes
    }
    return mutatePlainly(bytes)
  }

  /// Returns a mutated copy of a saved state in the form that ``KeyedArchiveProperty/stateImport`` reads: mostly with one
  /// list changed, and the lengths around it corrected.
  public mutating func mutateSavedState(_ bytes: [UInt8]) -> [UInt8] {
    let records = Self.records(of: bytes)
    guard !random.oneIn(4), !records.isEmpty else { return mutatePlainly(bytes) }
    let record = random.pick(records)
    let starts = record.filter { $0 >= record.lowerBound + 7 && bytes[$0..<record.upperBound].starts(with: "bplist0".utf8) }
    guard !starts.isEmpty else { return mutatePlainly(bytes) }
    let start = random.pick(starts)
    // The length of the chunk is before the list.
    let length = bytes[(start - 4)..<start].reduce(0) { $0 << 8 | Int($1) }
    guard length <= record.upperBound - start else { return mutatePlainly(bytes) }
    let list = mutate(Array(bytes[start..<(start + length)]))
    var changed = bytes
    changed.replaceSubrange((start - 4)..<(start + length), with: RawPropertyList.integer(UInt64(list.count), 4) + list)
    let total = RawPropertyList.integer(UInt64(record.count - 3 + list.count - length), 2)
    changed.replaceSubrange((record.lowerBound + 1)..<(record.lowerBound + 3), with: total)
    return changed
  }

  private mutating func mutatePlainly(_ bytes: [UInt8]) -> [UInt8] {
    var copy = bytes
    for _ in 0..<(1 + random.below(3)) { changePlainly(&copy) }
    return copy
  }

  /// Returns the ranges of the whole records, each with its window and length.
  private static func records(of bytes: [UInt8]) -> [Range<Int>] {
    var records: [Range<Int>] = []
    var position = KeyedArchiveProperty.savedStateMark.count
    while position + 3 <= bytes.count {
      let end = position + 3 + (Int(bytes[position + 1]) << 8 | Int(bytes[position + 2]))
      guard end <= bytes.count else { break }
      records.append(position..<end)
      position = end
    }
    return records
  }

  /// Cuts a well-formed list into its objects; nil for any other bytes.
  static func parsed(_ bytes: [UInt8]) -> RawPropertyList? {
    guard bytes.count >= 41, bytes.starts(with: "bplist0".utf8) else { return nil }
    let end = bytes.count - 32
    func number(_ start: Int, _ count: Int) -> Int { bytes[start..<(start + count)].reduce(0) { ($0 & 0x7F_FFFF_FFFF) << 8 | Int($1) } }
    let (offsetSize, size, count, table) = (Int(bytes[end + 6]), Int(bytes[end + 7]), number(end + 8, 8), number(end + 24, 8))
    guard (1...4).contains(offsetSize), (1...8).contains(size), (1..<65_536).contains(count), table >= 9 else { return nil }
    guard table + count * offsetSize == end else { return nil }
    let offsets = (0..<count).map { number(table + $0 * offsetSize, offsetSize) }
    guard offsets == offsets.sorted(), Set(offsets).count == count, offsets[0] == 8, (offsets.last ?? 0) < table else { return nil }
    var list = RawPropertyList(referenceSize: size)
    list.header = Array(bytes[..<8])
    list.top = number(end + 16, 8)
    for (index, offset) in offsets.enumerated() { list.add(Array(bytes[offset..<(index + 1 < count ? offsets[index + 1] : table)])) }
    return list
  }

  private mutating func change(_ list: inout RawPropertyList, _ depth: Int) {
    let index = random.below(list.objects.count)
    switch random.below(12) {
    case 0: list.objects[index] = list.objects[random.below(list.objects.count)]
    case 1: list.offsets[index] = list.places[random.below(list.objects.count)] + random.below(3)
    case 2: list.trailer[random.pick([6, 7, 8, 16, 24])] = random.oneIn(2) ? UInt64(random.below(10)) : random.next()
    case 3 where list.objects.count < 300: list.add([random.pick([0xA1, 0xD1, 0x80, 0x51, 0x10]), UInt8(index & 255), UInt8(index & 255)])
    case 4...8: changeNested(&list, from: index, depth)
    default: changePlainly(&list.objects[index])
    }
  }

  /// Mutates the list in the next data object that holds one, or else an object.
  private mutating func changeNested(_ list: inout RawPropertyList, from start: Int, _ depth: Int) {
    for step in 0..<list.objects.count {
      let index = (start + step) % list.objects.count
      guard depth < 4, list.objects[index].first.map({ $0 & 0xF0 == 0x40 }) == true,
        let place = list.objects[index].prefix(8).firstIndex(of: UInt8(ascii: "b"))
      else { continue }
      let inner = Array(list.objects[index][place...])
      guard inner.starts(with: "bplist0".utf8) else { continue }
      let changed = mutate(inner, depth: depth + 1)
      list.objects[index] = RawPropertyList.marker(0x40, changed.count) + changed
      return
    }
    changePlainly(&list.objects[start])
  }

  private mutating func changePlainly(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return bytes.append(UInt8(truncatingIfNeeded: random.next())) }
    let index = random.below(bytes.count)
    switch random.below(5) {
    case 0: bytes[index] ^= 1 << UInt8(random.below(8))
    case 1: bytes[index] = UInt8(truncatingIfNeeded: random.next())
    case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: index)
    case 3: bytes.removeSubrange(index..<min(bytes.count, index + 1 + random.below(4)))
    default: bytes[index] = random.pick([0, 1, 0x7F, 0x80, 0xFF, 0x13, 0xAF, 0xDF, 0x4F])
    }
  }
}
