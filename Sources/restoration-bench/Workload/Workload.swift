import Foundation

/// A seeded tree shaped like an app's state: fan-out 2 to 6, about 12 values per node, some blobs.
struct Workload {
  let size: Load
  let roots: [BenchNode]
  /// The original of the copied tree; kept alive so that contenders cannot reuse its memory.
  private let draft: [DraftNode]
  /// The path that follows the last child at every level, and the key of a string in its node.
  let probe: (path: [String], key: String)
  /// The shape of each root: the type of the value under each key.
  let shapes: [NodeShape]
  let counts: WorkloadCounts

  /// Builds the workload of a size.
  init(_ size: Load) {
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

/// A workload: one of the three trees, or the array of 1,000 Codable structs.
enum Load: String {
  case small, medium, large, records

  static let trees: [Load] = [.small, .medium, .large]

  /// The number of nodes.
  var nodeCount: Int { shape.nodeCount }

  /// The number of nodes and of levels, the number of nodes that have one blob among them (nil for none), and the seed.
  ///
  /// The seed of the small tree is chosen so that it has 615 values, 845 strings and 17.5 KB of payload.
  var shape: (nodeCount: Int, depth: Int, blobOdds: Int?, seed: UInt64) {
    switch self {
    // Operations on the array that need a tree use the small one.
    case .small, .records: (40, 4, nil, 0x5EED_326B)
    case .medium: (3000, 9, 110, 0x5EED_0013)
    case .large: (200_000, 15, 150, 0x5EED_3D40)
    }
  }
}

/// The counts of a tree.
struct WorkloadCounts {
  var nodes = 0
  var depth = 0
  var values = 0
  var strings = 0
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

/// Builds the trees of the workloads.
struct WorkloadGenerator {
  private let size: Load
  private var random: BenchRandom
  private var nodeCount = 0

  /// The keys, 3 of which are not ASCII.
  static let keys = [
    "scrollOffset", "contentOffset.x", "contentOffset.y", "selectedIndex", "selectedItemIdentifier", "isExpanded", "isEditing",
    "lastViewedDate", "searchQuery", "sortDescriptors", "windowFrame", "splitPosition.left", "splitPosition.right", "zoomScale",
    "navigationTitle", "documentURLBookmark", "cursorPosition", "firstResponderPath", "visibleItemRange", "playbackPosition",
    "volumeLevel", "showsSidebar", "showsInspector", "collapsedSections", "draftMessageText", "recipientAddresses", "attachmentCount",
    "currentTabIdentifier", "historyBackForwardList", "pageNumber", "filterPredicate", "highlightedRow", "toolbarCustomization",
    "columnWidths", "presentedSheetName", "keyboardShortcutSet", "undoStackDepth", "creationTimestamp", "modificationTimestamp",
    "thumbnailImageData", "mapCenter.latitude", "mapCenter.longitude", "mapHeading", "annotationIdentifiers", "encodingName",
    "lineWrappingMode", "foldedRegions", "selectionAnchor", "selectionHead", "colorSchemeName", "größe", "表示モード", "état.courant",
  ]

  static let types = [
    "NavigationController", "TabBarController", "SplitView", "DocumentWindow", "EditorPane", "OutlineView", "MessageList", "MapView",
    "PlayerView", "Inspector", "SearchResults", "WebPage",
  ]

  private static let words = [
    "report", "meeting", "draft", "the", "quarterly", "summary", "of", "notes", "and", "photos", "from", "travel", "invoice", "letter",
    "chapter", "project", "review", "agenda", "window", "inbox",
  ]

  init(size: Load) {
    self.size = size
    random = BenchRandom(seed: size.shape.seed)
  }

  // MARK: Tree

  /// Builds a tree in which each inner node has 2 to 6 children.
  ///
  /// Levels grow by a constant factor. The last node of each level has children until the depth is reached.
  mutating func makeTree() -> [DraftNode] {
    let sizes = levelSizes()
    let root = makeNode(place: 0)
    var level = [root]
    for size in sizes.dropFirst() {
      // The last node gets its children after the others, from a remainder of at least two.
      var left = size
      let last = level[level.count - 1]
      let counts = level.map { node -> Int in
        if node === last { return 0 }
        let count = min(random.within(2...6), left - 2)
        guard count >= 2 else { return 0 }
        left -= count
        return count
      }
      for (node, count) in zip(level, counts) { append(count, to: node) }
      append(min(left, 6), to: last)
      left -= min(left, 6)
      for node in level where left > 0 && node !== last {
        let more = min(left, 6 - node.children.count)
        append(more, to: node)
        left -= more
      }
      precondition(left == 0, "a level has too few places")
      level = level.flatMap(\.children)
    }
    return [root]
  }

  private mutating func append(_ count: Int, to node: DraftNode) {
    for _ in 0..<count { node.children.append(makeNode(place: node.children.count)) }
  }

  /// Returns the number of nodes of each level.
  private func levelSizes() -> [Int] {
    var low = 1.0
    var high = 6.0
    func sizes(_ factor: Double) -> [Int] {
      (0..<size.shape.depth).map { $0 == 0 ? 1 : max(2, Int(pow(factor, Double($0)))) }
    }
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if sizes(middle).reduce(0, +) > size.nodeCount { high = middle } else { low = middle }
    }
    var result = sizes(low)
    result[size.shape.depth - 1] += size.nodeCount - result.reduce(0, +)
    return result
  }

  private mutating func makeNode(place: Int) -> DraftNode {
    let type = Self.types[random.within(0...(Self.types.count - 1))]
    let identifier = random.within(0...3) == 0 ? type.prefix(1).lowercased() + type.dropFirst() : "item-\(random.within(0...99_999))"
    var entries = makeEntries(count: random.within(10...14))
    // The probe reads a string, so every node must have one.
    if !entries.contains(where: { if case .string = $0.value { true } else { false } }) { entries[0].value = .string(makeText()) }
    nodeCount += 1
    if let odds = size.shape.blobOdds, nodeCount % odds == 0 {
      let blob = Data((0..<random.within(4096...65_536)).map { UInt8(truncatingIfNeeded: $0 &* 31) })
      entries[entries.count - 1].value = .data(blob)
    }
    // The index keeps the identifiers of siblings distinct.
    return DraftNode(identifier: "\(identifier)-\(place)", type: type, entries: entries)
  }

  // MARK: Values

  private mutating func makeEntries(count: Int) -> [BenchEntry] {
    var keys: Set<String> = []
    var entries: [BenchEntry] = []
    while entries.count < count {
      let key = Self.keys[random.within(0...(Self.keys.count - 1))]
      if keys.insert(key).inserted { entries.append(BenchEntry(key: key, value: makeValue())) }
    }
    return entries
  }

  private mutating func makeValue() -> BenchValue {
    switch random.within(0...99) {
    case 0..<34: return .string(makeText())
    case 34..<50: return .integer(makeInteger())
    case 50..<66: return .double((random.fraction() - 0.5) * 4096)
    case 66..<80: return .bool(random.next() & 1 == 0)
    case 80..<86: return .date(Date(timeIntervalSinceReferenceDate: 780_000_000 + (random.fraction() * 1e10).rounded() / 1000))
    case 86..<90: return .data(Data((0..<random.within(16...80)).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
    case 90..<94:
      return .array((0..<random.within(2...4)).map { _ in random.next() & 1 == 0 ? .string(makeText()) : .integer(makeInteger()) })
    case 94..<97:
      return .dictionary(
        Self.keys[3...4].map { BenchEntry(key: $0, value: random.next() & 1 == 0 ? .double(random.fraction()) : .string(makeText())) })
    default: return .selection(BenchSelection(section: random.within(0...9), row: makeInteger(), identifier: makeText()))
    }
  }

  private mutating func makeInteger() -> Int {
    random.within(0...3) == 0 ? random.within(-1...40) : random.within(0...1_000_000)
  }

  /// Returns text of 6 to 44 bytes.
  private mutating func makeText() -> String {
    let length = random.within(6...44)
    var text = ""
    if random.within(1...42) == 1 { text = "Grüße 日本 " }
    while text.utf8.count < length { text += Self.words[random.within(0...(Self.words.count - 1))] + " " }
    while text.utf8.count > length { text.removeLast() }
    return text
  }
}

/// A node during construction of the tree, which proceeds level by level.
final class DraftNode {
  let identifier: String
  let type: String
  let entries: [BenchEntry]
  var children: [DraftNode] = []

  init(identifier: String, type: String, entries: [BenchEntry]) {
    self.identifier = identifier
    self.type = type
    self.entries = entries
  }
}

/// A random number generator (SplitMix64): the same seed gives the same workload in every run.
struct BenchRandom {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Returns a number in the range.
  mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + Int(next() % UInt64(range.count)) }

  /// Returns a number in `0..<1`.
  mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
