import ArchiveFormat
import RestorationArchive

/// The bytes of state records, counted by outermost key and by kind of value, and the large values in them.
///
/// Each byte counts once in each view. Values are read in their stored form, without creating them.
struct StoredSizes {
  /// A number of bytes, and of the values or entries that take them.
  struct Amount: Sendable {
    var byteCount = 0
    var count = 0

    mutating func add(_ byteCount: Int, count: Int = 1) {
      self.byteCount += byteCount
      self.count += count
    }
  }

  /// A value that may occur several times.
  struct LargeValue: Sendable {
    let kind: ValueKind
    /// The number of bytes of each copy.
    let byteCount: Int
    var copies: Int
    /// The record of the node that holds the first copy, and the outermost key there.
    let record: Int
    let key: String
  }

  /// The bytes by the outermost key of the state; each entry counts with its key and mark.
  private(set) var keys: [(name: String, amount: Amount)] = []
  /// The bytes of state that no entry can be read from.
  private(set) var unreadableEntries = Amount()
  /// The bytes of attributes with their length.
  private(set) var attributes = Amount()

  /// The bytes by kind of value; a container counts without its contents.
  private(set) var kinds: [ValueKind: Amount] = [:]
  /// The bytes of references to keys, and of keys outside the key table.
  private(set) var keyReferences = Amount()
  /// The marks of sensitive values.
  private(set) var marks = Amount()
  /// The lengths of attributes.
  private(set) var attributeLengths = Amount()
  /// The bytes that no value can be read from.
  private(set) var unreadableValues = Amount()

  /// The provider references, in both views.
  private(set) var providers = Amount()
  /// The large values, by a hash of their bytes.
  private(set) var largeValues: [UInt64: LargeValue] = [:]

  /// The length from which a value is large.
  static let largeByteCount = 256

  private let table: KeyTable
  private var tableKeys: [Amount]
  /// The keys outside the key table, by their bytes: two normalization forms of a text are different keys.
  private var inlineKeys: [[UInt8]: Amount] = [:]
  // Unpredictable, so that no file can hold values that are mistaken for each other.
  private let seed = UInt64.random(in: 0...UInt64.max)
  private var record = 0
  private var outermostReference: KeyReference?

  init(_ keys: KeyTable) {
    table = keys
    tableKeys = [Amount](repeating: Amount(), count: keys.count)
  }

  /// Counts a record that cannot be read.
  mutating func count(unreadable byteCount: Int) {
    unreadableEntries.add(byteCount)
    unreadableValues.add(byteCount)
  }

  mutating func count(_ bytes: VerifiedBytes, flags: UInt8, of record: Int) {
    self.record = record
    let span = bytes.storage.span
    guard let parts = try? RecordParts(bytes, flags: flags) else { return count(unreadable: bytes.range.count) }
    var start = bytes.range.lowerBound
    if let provider = parts.provider {
      providers.add(provider.identifier.upperBound - start)
      start = provider.identifier.upperBound
    }
    if let cursor = parts.attributes {
      attributeLengths.add(cursor.position - start)
      attributes.add(cursor.end - start)
      countEntries(cursor, in: span, role: .attributes(strict: false), depth: 0)
    }
    countEntries(parts.entries, in: span, role: .state, depth: 0)
  }

  /// Lists the keys, and discards the large values that occur once.
  mutating func finish() {
    keys = tableKeys.indices.filter { tableKeys[$0].count > 0 }.map { (table.text(at: $0), tableKeys[$0]) }
    keys += inlineKeys.map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
    largeValues = largeValues.filter { $0.value.copies > 1 }
  }

  // MARK: Values

  /// Counts entries up to the end of a cursor, and returns whether they hold a large value.
  ///
  /// The format's limit of 128 nesting levels bounds the recursion.
  @discardableResult
  private mutating func countEntries(_ cursor: ByteCursor, in bytes: Span<UInt8>, role: EntryRole, depth: Int) -> Bool {
    var reader = EntryReader(cursor, role: role, keys: table)
    var isState = false
    if case .state = role { isState = true }
    var holdsLargeValue = false
    var end = cursor.position
    while let entry = try? reader.next(in: bytes, keys: table) {
      end = reader.cursor.position
      if depth == 0 { outermostReference = entry.key }
      if isState { countKey(entry.key, end - entry.start, in: bytes) }
      keyReferences.add(entry.valueStart - entry.start)
      if entry.isSensitive { marks.add(1) }
      var isLarge = countValue(entry.value, entry.tagStart..<end, in: bytes, depth: depth)
      // A container that repeats as a whole, and not because of one large value in it.
      if depth == 0, !isLarge { isLarge = noteValue(entry.value.kind, entry.tagStart..<end, in: bytes) }
      holdsLargeValue = holdsLargeValue || isLarge
    }
    if end < cursor.end {
      unreadableValues.add(cursor.end - end)
      if isState { unreadableEntries.add(cursor.end - end) }
    }
    return holdsLargeValue
  }

  /// Counts a value at a range from its tag on, and returns whether it is or holds a large text or data value.
  private mutating func countValue(_ value: RawValue, _ range: Range<Int>, in bytes: Span<UInt8>, depth: Int) -> Bool {
    switch value.kind {
    case .array where depth < FormatLimits.nesting:
      kinds[.array, default: Amount()].add(value.payload.lowerBound - range.lowerBound)
      var holdsLargeValue = false
      var cursor = ByteCursor(value.payload, fileOffset: 0)
      while !cursor.isAtEnd {
        let start = cursor.position
        guard let element = try? cursor.readValue(in: bytes) else {
          unreadableValues.add(value.payload.upperBound - start)
          break
        }
        let isLarge = countValue(element, start..<cursor.position, in: bytes, depth: depth + 1)
        holdsLargeValue = holdsLargeValue || isLarge
      }
      return holdsLargeValue
    case .dictionary where depth < FormatLimits.nesting:
      kinds[.dictionary, default: Amount()].add(value.payload.lowerBound - range.lowerBound)
      return countEntries(ByteCursor(value.payload, fileOffset: 0), in: bytes, role: .dictionary, depth: depth + 1)
    case .string, .data, .url:
      kinds[value.kind, default: Amount()].add(range.count)
      return noteValue(value.kind, range, in: bytes)
    default:
      kinds[value.kind == .negativeInteger ? .integer : value.kind, default: Amount()].add(range.count)
      return false
    }
  }

  /// Notes a value if it is large, and returns whether it is.
  private mutating func noteValue(_ kind: ValueKind, _ range: Range<Int>, in bytes: Span<UInt8>) -> Bool {
    guard range.count >= Self.largeByteCount else { return false }
    let hash = XXH64.hash(bytes.extracting(range), seed: seed)
    if largeValues[hash] == nil {
      let key = outermostReference.map { table.text(of: $0, in: bytes) } ?? ""
      largeValues[hash] = LargeValue(kind: kind, byteCount: range.count, copies: 0, record: record, key: key)
    }
    largeValues[hash]?.copies += 1
    return true
  }

  private mutating func countKey(_ key: KeyReference, _ byteCount: Int, in bytes: Span<UInt8>) {
    if key.isInline {
      inlineKeys[bytes.extracting(key.inlineRange).makeArray(), default: Amount()].add(byteCount)
    } else {
      tableKeys[key.index].add(byteCount)
    }
  }
}

/// The bytes of each node by its record: the record, the identifier, and the state record.
///
/// Takes sixteen bytes of memory for each node.
struct NodeSizes: Sendable {
  /// The bytes of each node, by record; 0 for one that cannot be read.
  private(set) var own: [Int]
  /// The bytes of each node and of everything below it.
  private(set) var withAllBelow: [Int]
  /// The number of readable records.
  private(set) var readableCount = 0
  /// The bytes of identifiers that several nodes share, and their number.
  private(set) var sharedIdentifiers = StoredSizes.Amount()
  /// The bytes of the sections of nodes that belong to no readable node.
  private(set) var unattributed = 0
  /// The bytes of the identifiers that belong to one node.
  private(set) var identifierByteCount = 0

  /// Measures the nodes, and counts the contents of their state records.
  init(_ records: ArchiveRecords, _ contents: inout StoredSizes) {
    own = [Int](repeating: 0, count: records.presentRecordCount)
    withAllBelow = []
    var parents = [UInt32](repeating: 0, count: own.count)
    var identifiers: [(range: Range<Int>, index: Int)] = []
    var stateByteCount = 0
    let progress = WorkProgress.begin(own.count)
    defer { progress?.end() }
    for index in own.indices {
      if index % 1024 == 0 { progress?.advance(to: index) }
      guard let node = try? records.node(at: index) else { continue }
      readableCount += 1
      parents[index] = node.record.parent
      own[index] = NodeRecord.byteCount
      if index > 0, let range = try? node.identifierInStrings { identifiers.append((range, index)) }
      let length = Self.count(node, records, &contents)
      own[index] += length
      stateByteCount += length
    }
    let sections = records.metadata.nodes.count + records.metadata.states.count
    unattributed = sections - readableCount * NodeRecord.byteCount - stateByteCount
    attribute(identifiers, of: records.metadata.strings.count)
    withAllBelow = own
    // A parent's index is less than its children's.
    for index in own.indices.dropFirst().reversed() where Int(parents[index]) < index {
      withAllBelow[Int(parents[index])] += withAllBelow[index]
    }
  }

  /// Counts the state record of a node and returns its length; 0 for bytes that other nodes have claimed.
  private static func count(_ node: ArchiveRecords.StoredNode, _ records: ArchiveRecords, _ contents: inout StoredSizes) -> Int {
    let length = Int(node.record.stateLength)
    guard length > 0 else { return 0 }
    do throws(FormatError) {
      contents.count(try records.state(of: node), flags: node.record.flags, of: node.index)
    } catch {
      // Two nodes of an invalid archive may claim the same bytes.
      if error.code == .stateOrder { return 0 }
      contents.count(unreadable: length)
    }
    return length
  }

  /// Attributes the identifiers in `STRS` to the nodes that use them alone.
  private mutating func attribute(_ identifiers: [(range: Range<Int>, index: Int)], of byteCount: Int) {
    let sorted = identifiers.sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    var (place, end) = (0, 0)
    while place < sorted.count {
      let range = sorted[place].range
      var next = place + 1
      while next < sorted.count, sorted[next].range == range { next += 1 }
      // Identifiers of an invalid archive may overlap, or lie outside the section.
      if range.lowerBound >= end, range.upperBound <= byteCount {
        if next == place + 1 {
          own[sorted[place].index] += range.count
          identifierByteCount += range.count
        } else {
          sharedIdentifiers.add(range.count)
        }
        unattributed += range.lowerBound - end
        end = range.upperBound
      }
      place = next
    }
    unattributed += byteCount - end
  }
}
