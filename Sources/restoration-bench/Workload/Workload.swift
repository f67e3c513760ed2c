import Foundation

/// A seeded tree shaped like an app's state: fan-out 2 to 6, about 12 values per node, some blobs.
struct Workload {
  let size: WorkloadSize
  let roots: [BenchNode]
  /// The original of the copied tree; kept alive so that contenders cannot reuse its memory.
  private let draft: [DraftNode]
  /// The path that follows the last child at every level, and the key of a string in its node.
  let probe: (path: [String], key: String)
  /// The shape of each root: the type of the value under each key.
  let shapes: [NodeShape]
  let counts: WorkloadCounts

  /// Builds the workload of a size.
  init(_ size: WorkloadSize) {
    var generator = WorkloadGenerator(size: size)
    self.size = size
    draft = generator.makeTree()
    roots = draft.map(BenchNode.init(inPreorder:))
    var path: [String] = []
    var node = roots.last
    var last = roots[0]
    while let current = node {
      path.append(current.identifier)
      last = current
      node = current.children.last
    }
    let key = last.entries.first { if case .string = $0.value { true } else { false } }?.key ?? ""
    probe = (path, key)
    shapes = roots.map { NodeShape($0) }
    counts = WorkloadCounts(roots)
  }
}

/// The size of a tree workload.
enum WorkloadSize: String, CaseIterable {
  case small, medium, large

  /// The number of nodes.
  var nodeCount: Int { shape.nodeCount }

  /// The number of nodes and of levels, the number of nodes that have one blob among them (nil for none), and the seed.
  ///
  /// The seed of the small tree is chosen so that it has 615 values, 845 strings and 17.5 KB of payload.
  var shape: (nodeCount: Int, depth: Int, blobOdds: Int?, seed: UInt64) {
    switch self {
    case .small: (40, 4, nil, 0x5EED_326B)
    case .medium: (3000, 9, 110, 0x5EED_0013)
    case .large: (200_000, 15, 150, 0x5EED_3D40)
    }
  }
}

/// A workload: one of the three trees, or the array of 1,000 Codable structs.
enum Load: String, Hashable {
  case small, medium, large, records

  /// The size of the tree; nil for the array.
  var size: WorkloadSize? { WorkloadSize(rawValue: rawValue) }

  init(_ size: WorkloadSize) { self = Self(rawValue: size.rawValue) ?? .small }
}

/// The counts of a tree.
struct WorkloadCounts {
  var nodes = 0
  var depth = 0
  var values = 0
  var strings = 0
  var nonASCIIStrings = 0
  /// The size of the data: the UTF-8 bytes of identifiers, types, keys and strings, 8 per number or date, 1 per bool,
  /// and the bytes of data.
  var payload = 0

  init(_ roots: [BenchNode]) {
    for root in roots { add(root, depth: 1) }
  }

  private mutating func add(_ node: BenchNode, depth: Int) {
    nodes += 1
    self.depth = max(self.depth, depth)
    add(text: node.identifier)
    add(text: node.type)
    add(node.entries)
    for child in node.children { add(child, depth: depth + 1) }
  }

  private mutating func add(text: String) {
    strings += 1
    payload += text.utf8.count
    if text.utf8.contains(where: { $0 >= 0x80 }) { nonASCIIStrings += 1 }
  }

  private mutating func add(_ entries: [BenchEntry]) {
    for entry in entries {
      add(text: entry.key)
      add(entry.value)
    }
  }

  private mutating func add(_ value: BenchValue) {
    values += 1
    switch value {
    case .string(let text): add(text: text)
    case .integer, .double, .date: payload += 8
    case .bool: payload += 1
    case .data(let data): payload += data.count
    case .array(let elements): for element in elements { add(element) }
    case .dictionary(let entries): add(entries)
    case .selection(let selection):
      add([
        BenchEntry(key: "section", value: .integer(selection.section)), BenchEntry(key: "row", value: .integer(selection.row)),
        BenchEntry(key: "identifier", value: .string(selection.identifier)),
      ])
    }
  }
}

/// The struct of the Codable workload: 12 fields of mixed types, like the state of an app.
struct CodableRecord: Codable, Equatable {
  var identifier: String
  var title: String
  var note: String
  var row: Int
  var section: Int
  var revision: Int
  var zoom: Double
  var offsetX: Double
  var offsetY: Double
  var isExpanded: Bool
  var isPinned: Bool
  var lastViewed: Date

  /// Returns the workload: 1,000 structs, the same in each run.
  static func workload() -> [CodableRecord] {
    var random = BenchRandom(seed: 0x5EED_C0DE)
    return (0..<1000).map { index in
      CodableRecord(
        identifier: "document-\(random.within(0...999_999))", title: "Quarterly summary \(index)",
        note: String(repeating: "note ", count: random.within(1...8)), row: random.within(0...40), section: random.within(0...9),
        revision: random.within(0...1_000_000), zoom: Double(random.within(1...8)) / 2, offsetX: random.fraction() * 4096,
        offsetY: random.fraction() * 4096, isExpanded: random.next() & 1 == 0, isPinned: random.next() & 1 == 0,
        lastViewed: Date(timeIntervalSinceReferenceDate: 780_000_000 + (random.fraction() * 1e10).rounded() / 1000))
    }
  }
}
