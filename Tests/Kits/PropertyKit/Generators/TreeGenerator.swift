import Foundation
public import RestorationArchive

/// Generates archives with all features of the format from a seed.
public struct TreeGenerator {
  private var random: SeededGenerator
  private let names = [
    "a", "list", "zoom", "row", "scrollOffset", "selection", "title", "é", "e\u{301}", "日本", "a/b", "~", "x y", "line\nend", "שלום",
    "012345678901234567", "0123456789012345678", "a rather long identifier that does not fit", "👩‍👩‍👧‍👦", "$date", "com.example.kind",
  ]

  /// Creates a generator.
  public init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Returns an archive of up to `nodeCount` nodes.
  public mutating func tree(nodeCount: Int = 24) -> ArchiveTree {
    var tree = ArchiveTree(header: header(), applicationState: dictionary(depth: 0, isState: true))
    var left = random.below(nodeCount + 1)
    tree.nodes = nodes(&left, depth: 0)
    if random.oneIn(3), let section = try? ArchiveSection(code: "teSt", data: Data((0..<random.below(40)).map { UInt8($0) })) {
      tree.sections.append(section)
    }
    return tree
  }

  private mutating func header() -> ArchiveHeader {
    var header = ArchiveHeader()
    if random.oneIn(2) { header.bundleVersion = random.pick(names) }
    if random.oneIn(2) { header.bundleIdentifier = "com.example.app" }
    if random.oneIn(2) { header.systemVersion = random.pick(names) }
    if random.oneIn(2) { header.timestamp = date() }
    if random.oneIn(2) { header.userInterfaceIdiom = random.pick([.desktop, .terminal, UserInterfaceIdiom(rawValue: "eink")]) }
    if random.oneIn(3) { header.writer = "generator" }
    for key in ["com.example.channel", "org.example.n"] where random.oneIn(3) { header.additional[key] = scalar() }
    return header
  }

  private mutating func nodes(_ left: inout Int, depth: Int) -> [ArchiveNode] {
    var nodes: [ArchiveNode] = []
    var identifiers: [String] = []
    while left > 0, depth < 12, !random.oneIn(4) {
      let identifier = random.oneIn(3) ? random.pick(names) : "n\(random.below(1000))"
      if identifiers.contains(where: { $0.utf8.elementsEqual(identifier.utf8) }) { continue }
      identifiers.append(identifier)
      left -= 1
      var node = ArchiveNode(identifier, state: dictionary(depth: 0, isState: true))
      if random.oneIn(2) {
        node.type = random.pick(names)
        node.schemaVersion = random.oneIn(2) ? 0 : Int(UInt32(truncatingIfNeeded: random.next() >> UInt64(random.below(64))))
      }
      if random.oneIn(6) { node.origin = origin() }
      if random.oneIn(8) { node.provider = ProviderReference(name: random.pick(names), identifier: random.pick(names)) }
      if random.oneIn(8) { node.attributes["com.example.kind"] = value(depth: 1) }
      node.children = self.nodes(&left, depth: depth + 1)
      nodes.append(node)
    }
    return nodes
  }

  private mutating func origin() -> ArchiveOrigin {
    ArchiveOrigin(
      bundleVersion: random.oneIn(2) ? random.pick(["40", "41", ""]) : nil, timestamp: random.oneIn(2) ? date() : nil,
      sessionsCarried: UInt32(random.below(300)))
  }

  private mutating func dictionary(depth: Int, isState: Bool) -> ArchiveDictionary {
    var entries: [ArchiveDictionary.Entry] = []
    for _ in 0..<random.below(depth == 0 ? 9 : 5) {
      var key = random.oneIn(4) ? "k\(random.below(400))" : random.pick(names)
      if random.oneIn(30) { key = String(repeating: key, count: 70) }
      if random.oneIn(30), !isState { key = "" }
      entries.append(ArchiveDictionary.Entry(key: key, value: value(depth: depth + 1), isSensitive: random.oneIn(8)))
    }
    return ArchiveDictionary(entries)
  }

  private mutating func value(depth: Int) -> ArchiveValue {
    switch random.below(depth > 4 ? 10 : 13) {
    case 0: return .null
    case 1: return .reference(random.pick(["root", "root/list", "a~1b/~0"]))
    case 2...9: return scalar()
    case 10: return .array((0..<random.below(5)).map { _ in value(depth: depth + 1) })
    default: return .dictionary(dictionary(depth: depth, isState: false))
    }
  }

  private mutating func scalar() -> ArchiveValue {
    switch random.below(8) {
    case 0: return .bool(random.oneIn(2))
    case 1: return .integer(integer())
    case 2: return .float(float())
    case 3: return .string(String(repeating: random.pick(names), count: random.below(12)))
    case 4: return .data(Data((0..<random.below(80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
    case 5: return .date(date())
    case 6: return .uuid(uuid())
    default: return .url("https://example.com/\(random.below(1000))?q=é")
    }
  }

  private mutating func integer() -> ArchiveInteger {
    let bits = random.next() >> UInt64(random.below(64))
    let value = random.oneIn(2) ? ArchiveInteger(exactly: bits) : ArchiveInteger(exactly: ~Int64(bitPattern: bits >> 1))
    return value ?? 0
  }

  private mutating func float() -> Double {
    switch random.below(4) {
    case 0:
      random.pick([
        0.0, -0.0, 1.5, .infinity, -.infinity, .nan, Double(bitPattern: 0x7FF0_0000_0000_0001), .leastNonzeroMagnitude,
        .greatestFiniteMagnitude,
      ])
    case 1: Double(random.below(100_000)) / 16
    default: Double(bitPattern: random.next())
    }
  }

  private mutating func date() -> Date {
    Date(timeIntervalSinceReferenceDate: random.oneIn(4) ? float() : Double(random.below(1 << 40)) / 1000)
  }

  private mutating func uuid() -> UUID {
    func byte() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
    return UUID(
      uuid: (
        byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte()
      ))
  }
}
