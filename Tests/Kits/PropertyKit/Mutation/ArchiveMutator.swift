import ArchiveFormat

/// Mutates archives as disks, faulty writers and attackers do, from a seed.
///
/// Most mutations recompute the checksums, so that the fault is found by the rule that it breaks. Some change the file
/// as it is.
public struct ArchiveMutator {
  private var random: SeededGenerator

  /// Creates a mutator.
  public init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Returns a mutated copy of `bytes`, of at most `limit` bytes.
  ///
  /// - Parameters:
  ///   - bytes: An archive, or any other bytes.
  ///   - limit: The maximum length of the copy.
  /// - Returns: The copy.
  public mutating func mutate(_ bytes: [UInt8], limit: Int = .max) -> [UInt8] {
    var result = bytes
    if !random.oneIn(4), var archive = MendableArchive(bytes) {
      for _ in 0..<(1 + random.below(3)) { change(&archive) }
      result = archive.assembled()
      if !random.oneIn(6) { return Array(result.prefix(limit)) }
    }
    for _ in 0..<(1 + random.below(3)) { changePlainly(&result) }
    return Array(result.prefix(limit))
  }

  /// Returns a copy with every length, checksum and digest recomputed; `bytes` themselves if they cannot be parsed.
  ///
  /// - Parameter bytes: An archive, or any other bytes.
  /// - Returns: The copy.
  public static func mended(_ bytes: [UInt8]) -> [UInt8] {
    MendableArchive(bytes)?.assembled() ?? bytes
  }

  // MARK: With recomputed checksums

  private mutating func change(_ archive: inout MendableArchive) {
    switch random.below(10) {
    case 0, 1: changeMetadata(of: &archive) { $0.changeByte(of: &$1) }
    case 2: changeMetadata(of: &archive) { $0.changeRun(of: &$1) }
    case 3...5: changeRecord(of: &archive)
    case 6: resize(&archive)
    case 7: if random.oneIn(4) { archive.prefix.minorVersion ^= 1 << UInt16(random.below(4)) } else { changeRun(of: &archive.body) }
    default: changeByte(of: &archive.body)
    }
  }

  /// Changes the metadata.
  ///
  /// The volatile header is rarely changed: it is mostly zeros, and one changed zero hides all other faults.
  private mutating func changeMetadata(of archive: inout MendableArchive, _ change: (inout ArchiveMutator, inout [UInt8]) -> Void) {
    let start = random.oneIn(8) ? 0 : min(ArchiveMetadata.volatileByteCount, archive.metadata.count)
    var part = Array(archive.metadata[start...])
    change(&self, &part)
    archive.metadata.replaceSubrange(start..., with: part)
  }

  /// Changes a field of a node record, mostly to a value close to those of other records.
  private mutating func changeRecord(of archive: inout MendableArchive) {
    guard let count = archive.parsedMetadata?.recordCount, count > 0, count * NodeRecord.byteCount <= archive.body.count else {
      return changeByte(of: &archive.body)
    }
    let start = random.below(count) * NodeRecord.byteCount
    if random.oneIn(6) {
      let other = random.below(count) * NodeRecord.byteCount
      return archive.body.replaceSubrange(
        start..<(start + NodeRecord.byteCount), with: Array(archive.body[other..<(other + NodeRecord.byteCount)]))
    }
    let (offset, length) = random.pick([
      (0, 4), (4, 4), (8, 4), (12, 4), (16, 4), (20, 4), (24, 2), (26, 2), (28, 1), (29, 1), (41, 1), (42, 2), (44, 4),
    ])
    let old = (0..<length).reduce(0) { $0 | Int(archive.body[start + offset + $1]) << (8 * $1) }
    let new = random.pick([old + 1, old - 1, 0, 1, count, count - 1, random.below(count), random.below(2000), 0xFF, -1, 0x7FFF_FFFF])
    for index in 0..<length { archive.body[start + offset + index] = UInt8(truncatingIfNeeded: new >> (8 * index)) }
  }

  /// Inserts bytes into a section or removes some, and updates the directory.
  private mutating func resize(_ archive: inout MendableArchive) {
    guard let sections = archive.parsedMetadata?.sections, !archive.body.isEmpty else { return }
    let index = random.below(sections.count)
    let range = sections[index].range.clamped(to: 0..<archive.body.count)
    let length = NodeRecord.byteCount
    let count = index == 0 ? length : 1 + random.below(12)
    let place = range.lowerBound + (index == 0 ? random.below(range.count / length + 1) * length : random.below(range.count + 1))
    if random.oneIn(2) {
      archive.body.insert(contentsOf: (0..<count).map { _ in interestingByte() }, at: place)
      archive.resize(section: index, by: count)
    } else if place + count <= range.upperBound, archive.body.count > count {
      archive.body.removeSubrange(place..<(place + count))
      archive.resize(section: index, by: -count)
    }
  }

  // MARK: Anywhere

  private mutating func changePlainly(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return bytes.append(interestingByte()) }
    switch random.below(8) {
    case 0: bytes.removeLast(1 + random.below(bytes.count))
    case 1: bytes.append(contentsOf: (0..<(1 + random.below(80))).map { _ in interestingByte() })
    case 2: bytes.removeSubrange(someRun(of: bytes))
    case 3: bytes.insert(contentsOf: Array(bytes[someRun(of: bytes)]), at: random.below(bytes.count))
    case 4: changeRun(of: &bytes)
    default: changeByte(of: &bytes)
    }
  }

  private mutating func changeByte(of bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let place = random.below(bytes.count)
    bytes[place] = random.oneIn(2) ? bytes[place] ^ 1 << UInt8(random.below(8)) : interestingByte()
  }

  /// Overwrites a run of bytes with other bytes of the file, or with a single byte value.
  private mutating func changeRun(of bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return }
    let run = someRun(of: bytes)
    let source = random.below(bytes.count - run.count + 1)
    let filler = interestingByte()
    let isCopy = random.oneIn(2)
    bytes.replaceSubrange(run, with: isCopy ? Array(bytes[source..<(source + run.count)]) : [UInt8](repeating: filler, count: run.count))
  }

  private mutating func someRun(of bytes: [UInt8]) -> Range<Int> {
    let start = random.below(bytes.count)
    return start..<min(start + 1 + random.below(random.oneIn(8) ? bytes.count : 12), bytes.count)
  }

  /// Returns a tag, a limit of a range, a length, or any other byte.
  private mutating func interestingByte() -> UInt8 {
    random.oneIn(2)
      ? UInt8(truncatingIfNeeded: random.next())
      : random.pick([
        0x00, 0x01, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0F, 0x10, 0x17, 0x18, 0x1F, 0x20, 0x28, 0x38, 0x3F, 0x40, 0x7F, 0x80,
        0xBF, 0xC0, 0xDF, 0xE0, 0xEF, 0xF0, 0xFF,
      ])
  }
}
