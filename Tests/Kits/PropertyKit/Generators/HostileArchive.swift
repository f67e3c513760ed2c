import ArchiveFormat

/// A file designed to cost a reader as much memory or work as possible for its length.
///
/// Each kind can be generated in any size, since a disproportionate cost shows when the size changes.
public struct HostileArchive: Sendable, CustomStringConvertible {
  /// The attack that the file attempts.
  public let name: String
  /// The file.
  public let bytes: [UInt8]

  /// The name, which failing tests show.
  public var description: String { name }

  /// Returns one file of each kind, with about 48 bytes for each of `count` items.
  public static func all(count: Int) -> [HostileArchive] {
    tables(count) + trees(count) + states(count) + damaged(count)
  }

  // MARK: Tables of the metadata

  private static func tables(_ count: Int) -> [HostileArchive] {
    let small = min(count, 65_535)
    var files: [HostileArchive] = []
    files.append(file("origins of a few bytes") { $0.origins = RawArchive.varint(small) + origins(small) })
    files.append(file("types of a few bytes") { $0.types = RawArchive.varint(small) + types(small) })
    files.append(
      file("types and origins") {
        $0.origins = RawArchive.varint(small) + origins(small)
        $0.types = RawArchive.varint(small) + types(small)
      })
    files.append(file("more origins declared than there are") { $0.origins = RawArchive.varint(65_535) + origins(small / 4) })
    files.append(file("header entries of a few bytes") { $0.header = RawArchive.varint(count) + headerEntries(count) })
    files.append(file("empty sections") { $0.sections = sectionCodes(count) })
    return files
  }

  private static func origins(_ count: Int) -> [UInt8] {
    // Sorted by bytes, which differs from numeric order.
    (0..<count).map { [0] + RawArchive.varint($0) }.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
  }

  private static func types(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { [1, UInt8($0 >> 14)] + RawArchive.varint($0 & 0x3FFF) }
  }

  private static func headerEntries(_ count: Int) -> [UInt8] {
    (0..<count).flatMap { [5, UInt8(ascii: ".")] + base26($0, digits: 4) + [1] }
  }

  private static func sectionCodes(_ count: Int) -> [[UInt8]] {
    (0..<count).map { number in
      let letters = base26(number, digits: 4)
      return [letters[0] | 0x20, letters[1], letters[2] & 0xDF, letters[3]].map { UInt8($0) }
    }.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private static func base26(_ number: Int, digits: Int) -> [UInt8] {
    var number = number
    var letters: [UInt8] = []
    for _ in 0..<digits {
      letters.append(UInt8(ascii: "a") + UInt8(number % 26))
      number /= 26
    }
    return letters.reversed()
  }

  // MARK: Trees

  private static func trees(_ count: Int) -> [HostileArchive] {
    var files: [HostileArchive] = []
    files.append(file("faulty nodes below a deep path") { faultyLeaves(&$0, count, identifierLength: 20) })
    files.append(file("faulty nodes below the longest path") { faultyLeaves(&$0, 10, identifierLength: 1024) })
    files.append(file("nodes that claim all nodes behind them") { overlappingClaims(&$0, count) })
    files.append(file("a chain that claims all nodes behind it") { chain(&$0, count, claimsAll: true) })
    files.append(file("one long identifier for all") { sharedIdentifier(&$0, count) })
    files.append(
      file("many identifiers of nineteen bytes") { archive in
        archive.strings = (0..<count).flatMap { Array("long-identifier".utf8.prefix(14)) + base26($0, digits: 5) }
        leaves(&archive, count, identifier: { ($0 * 19, 19) })
      })
    files.append(
      file("long identifiers that overlap") { archive in
        archive.strings = (0..<(count + 1024)).map { UInt8(ascii: "a") + UInt8($0 * 7919 % 26) }
        leaves(&archive, count, identifier: { ($0, 1024) })
      })
    files.append(file("children in reverse saved order") { leaves(&$0, count, order: { count - 1 - $0 }) })
    return files
  }

  /// Adds children of the application.
  private static func leaves(
    _ archive: inout RawArchive, _ count: Int, order: (Int) -> Int = { $0 }, identifier: (Int) -> (Int, Int)? = { _ in nil }
  ) {
    archive.records = []
    archive.addRecord(parent: 0, children: 1..<(count + 1))
    for place in 0..<count {
      archive.addRecord(
        parent: 0, order: order(place), children: (count + 1)..<(count + 1),
        identifier: identifier(place).map { (offset: $0.0, length: $0.1) })
    }
  }

  /// Adds a path of 255 components, and below it nodes with one fault each.
  private static func faultyLeaves(_ archive: inout RawArchive, _ count: Int, identifierLength: Int, isStateFaulty: Bool = false) {
    archive.strings = [UInt8](repeating: UInt8(ascii: "x"), count: identifierLength)
    archive.records = []
    archive.addRecord(parent: 0, children: 1..<2)
    for depth in 1...255 {
      let children = depth < 255 ? (depth + 1)..<(depth + 2) : 256..<(256 + count)
      archive.addRecord(parent: depth - 1, children: children, identifier: (offset: 0, length: identifierLength))
    }
    if isStateFaulty { archive.states = (0..<count).flatMap { _ in [UInt8](arrayLiteral: 0, 1, 97, 0xFF) } }
    for place in 0..<count {
      archive.addRecord(
        parent: 255, order: isStateFaulty ? place : 7, children: (256 + count)..<(256 + count),
        state: isStateFaulty ? (4 * place)..<(4 * place + 4) : 0..<0)
    }
  }

  /// Adds nodes below the application, each of which claims all following nodes as its children.
  private static func overlappingClaims(_ archive: inout RawArchive, _ count: Int) {
    archive.records = []
    archive.addRecord(parent: 0, children: 1..<(count + 1))
    for index in 1...count { archive.addRecord(parent: 0, order: index - 1, children: (index + 1)..<(count + 1)) }
  }

  /// Adds a chain of 250 nodes, with all other nodes below the last.
  ///
  /// Each may claim all following nodes.
  private static func chain(_ archive: inout RawArchive, _ count: Int, claimsAll: Bool) {
    let count = max(count, 300)
    archive.records = []
    for index in 0..<250 {
      archive.addRecord(parent: max(index - 1, 0), children: (index + 1)..<(claimsAll || index == 249 ? count + 1 : index + 2))
    }
    for index in 250...count { archive.addRecord(parent: 249, order: index - 250, children: (count + 1)..<(count + 1)) }
  }

  /// Adds long paths at the cost of one record each: chains of 200 nodes with the same identifier.
  private static func sharedIdentifier(_ archive: inout RawArchive, _ count: Int) {
    archive.strings = [UInt8](repeating: UInt8(ascii: "x"), count: 64)
    archive.records = []
    let width = max(count / 200, 1)
    archive.addRecord(parent: 0, children: 1..<(width + 1))
    // Breadth-first: level by level, in the order of the parents.
    for level in 0..<200 {
      for place in 0..<width {
        let index = 1 + level * width + place
        let child = level == 199 ? (1 + 200 * width)..<(1 + 200 * width) : (index + width)..<(index + width + 1)
        archive.addRecord(
          parent: max(index - width, 0), order: level == 0 ? place : 0, children: child,
          identifier: level == 0 ? nil : (offset: 0, length: 64))
      }
    }
  }

  // MARK: States

  private static func states(_ count: Int) -> [HostileArchive] {
    var files: [HostileArchive] = []
    files.append(
      state("keys in line", (0..<count).flatMap { [0, 4] + base26($0, digits: 4) + [0] })
    )
    files.append(state("nulls in an array", [0, 1, 97, 4] + RawArchive.varint(count * 20) + [UInt8](repeating: 0, count: count * 20)))
    files.append(
      state("empty dictionaries", [0, 1, 97, 4] + RawArchive.varint(count * 20) + (0..<(count * 10)).flatMap { _ in [UInt8(5), 0] }))
    files.append(
      state(
        "nested deeper than allowed",
        (0..<count).reversed().reduce([]) { bytes, _ in bytes.count < 4000 ? [4] + RawArchive.varint(bytes.count) + bytes : bytes }))
    files.append(
      file("a faulty state in every node") { archive in
        archive.states = (0..<count).flatMap { _ in [UInt8](arrayLiteral: 0, 1, 97, 0xFF) }
        archive.records = []
        archive.addRecord(parent: 0, children: 1..<(count + 1))
        for place in 0..<count {
          archive.addRecord(
            parent: 0, order: place, children: (count + 1)..<(count + 1), state: (4 * place)..<(4 * place + 4))
        }
      })
    files.append(
      file("states that overlap") { archive in
        archive.states = [0, 1, 97, 7] + RawArchive.varint(count * 20) + [UInt8](repeating: 0, count: count * 20)
        archive.records = []
        let length = archive.states.count
        archive.addRecord(parent: 0, children: 1..<(count + 1))
        for place in 0..<count {
          archive.addRecord(parent: 0, order: place, children: (count + 1)..<(count + 1), state: 0..<length)
        }
      })
    return files
  }

  private static func state(_ name: String, _ record: [UInt8]) -> HostileArchive {
    file(name) { archive in
      archive.states = record
      archive.records = []
      archive.addRecord(parent: 0, children: 1..<1, state: 0..<record.count)
    }
  }

  /// Returns a file with `count` faulty states below a path of 255 components: as many losses, each with that path.
  ///
  /// The path has the maximum depth. The file is not in ``all(count:)``, since writing all of these paths takes a
  /// hundred thousand times its length.
  public static func faultyStatesBelowLongPath(count: Int, identifierLength: Int) -> HostileArchive {
    file("faulty states below a path of \(identifierLength) bytes each") { archive in
      faultyLeaves(&archive, count, identifierLength: identifierLength, isStateFaulty: true)
    }
  }

  // MARK: Damage

  private static func damaged(_ count: Int) -> [HostileArchive] {
    var files: [HostileArchive] = []
    var tree = RawArchive()
    sharedIdentifier(&tree, count)
    let bytes = tree.assembled()
    files.append(HostileArchive(name: "every second block damaged", bytes: flipping(bytes) { $0 % 2 == 0 }))
    files.append(HostileArchive(name: "every block damaged", bytes: flipping(bytes) { _ in true }))
    var claims = RawArchive()
    overlappingClaims(&claims, count)
    let claimed = claims.assembled()
    files.append(HostileArchive(name: "a damaged half that all nodes claim", bytes: flipping(claimed) { $0 > claimed.count / 8192 }))
    var leaves = RawArchive()
    self.leaves(&leaves, count)
    files.append(HostileArchive(name: "one damaged block among siblings", bytes: flipping(leaves.assembled()) { $0 == 1 }))
    files.append(HostileArchive(name: "both checksum trees damaged", bytes: flippingTrees(of: bytes)))
    files.append(HostileArchive(name: "cut in the middle", bytes: Array(bytes.prefix(bytes.count / 2))))
    files.append(HostileArchive(name: "four gigabytes, of which a little is there", bytes: declaredOnly(count)))
    return files
  }

  /// Returns the file with some bytes replaced and its checksums recomputed; nil unless the bytes occur exactly once in
  /// the body.
  public static func replacing(_ bytes: [UInt8], by others: [UInt8], in file: [UInt8]) -> [UInt8]? {
    guard var archive = MendableArchive(file), bytes.count == others.count else { return nil }
    let places = archive.body.indices.filter { archive.body[$0...].starts(with: bytes) }
    guard places.count == 1, let place = places.first else { return nil }
    archive.body.replaceSubrange(place..<(place + bytes.count), with: others)
    return archive.assembled()
  }

  /// Returns the file with one bit flipped in some blocks of the body.
  private static func flipping(_ bytes: [UInt8], _ isDamaged: (Int) -> Bool) -> [UInt8] {
    var bytes = bytes
    guard let archive = MendableArchive(bytes) else { return bytes }
    let start = (bytes.count - archive.body.count) / 2
    for block in 0...(bytes.count / 4096) where isDamaged(block) {
      let place = max(block * 4096 + 100, start)
      if place < start + archive.body.count { bytes[place] ^= 1 }
    }
    return bytes
  }

  private static func flippingTrees(of bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    guard let archive = MendableArchive(bytes) else { return bytes }
    let metadataEnd = ArchivePrefix.byteCount + archive.metadata.count
    bytes[metadataEnd] ^= 1
    bytes[(bytes.count + archive.body.count) / 2 + archive.metadata.count] ^= 1
    return bytes
  }

  /// Returns the intact prefix and metadata of a file of nearly four gigabytes, followed by zeros for `count` records.
  private static func declaredOnly(_ count: Int) -> [UInt8] {
    let bodyLength = 80_000_000 * NodeRecord.byteCount
    let directory = [3] + Array("NODE".utf8) + RawArchive.varint(bodyLength) + Array("STRS".utf8) + [0] + Array("STAT".utf8) + [0]
    let metadata = RawArchive.padded([0]) + directory + [0, 0, 0, 0]
    let tree = ArchiveFormat.ChecksumTree(bodyLength: bodyLength)
    let layout = FileLayout(bodyLength: bodyLength, metadataLength: metadata.count, tree: tree)
    let prefix = ArchivePrefix(
      fileLength: UInt64(layout.fileLength), metadataLength: UInt32(metadata.count), treeLength: UInt32(tree.byteCount),
      volatileDigest: ArchivePrefix.volatileDigest(metadata: metadata.span), treeRoot: 0,
      contentDigest: ArchivePrefix.contentDigest(metadata: metadata.span, treeRoot: 0))
    return prefix.encoded + metadata + [UInt8](repeating: 0, count: count * NodeRecord.byteCount)
  }

  private static func file(_ name: String, _ change: (inout RawArchive) -> Void) -> HostileArchive {
    var archive = RawArchive()
    archive.addRecord(parent: 0, children: 1..<1)
    change(&archive)
    return HostileArchive(name: name, bytes: archive.assembled())
  }
}
