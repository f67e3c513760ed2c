import Foundation

/// Builds the trees of the workloads.
struct WorkloadGenerator {
  private let size: WorkloadSize
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

  init(size: WorkloadSize) {
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
