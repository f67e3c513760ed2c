import ArchiveFormat
public import RestorationArchive

/// The bytes of an archive by node, type, key and kind of value.
///
/// Each byte of the file counts once: either for one node (its record, its identifier, its state) or as overhead, which is
/// what nodes share and what guards them. Each of the views adds up to the length of the file:
///
/// - nodes and ``overhead``,
/// - ``types`` and ``overhead``,
/// - ``keys`` and ``overhead``,
/// - ``kinds`` and ``overhead``.
///
/// - Complexity: O(n) in the length of the file, plus O(n log n) in the number of long identifiers.
public struct ArchiveSizes: Sendable {
  /// A part of the file.
  public struct Share: Sendable, Equatable {
    /// The name of the part; names that begin with a parenthesis are not of the archive.
    public let name: String
    /// The number of bytes.
    public let byteCount: Int
    /// The number of nodes, entries or values.
    public let count: Int

    init(_ name: String, _ amount: StoredSizes.Amount) {
      (self.name, byteCount, count) = (name, amount.byteCount, amount.count)
    }
  }

  /// A large value that the archive holds several times.
  public struct Duplicate: Sendable {
    /// The kind of value.
    public let kind: String
    /// The number of bytes of each copy.
    public let byteCount: Int
    /// The number of copies.
    public let copies: Int
    /// The path of the node that holds the first copy.
    public let path: RestorationPath
    /// The outermost key of the first copy.
    public let key: String
    /// The number of bytes that a single copy would save.
    public var wastedByteCount: Int { byteCount * (copies - 1) }
  }

  let archive: ArchiveReader
  private let nodes: NodeSizes
  /// The overhead, in file order.
  public let overhead: [Share]
  /// The bytes of nodes by type, the largest first.
  public let types: [Share]
  /// The bytes of nodes by the outermost key of the state, the largest first.
  public let keys: [Share]
  /// The bytes of nodes by kind of value, the largest first; a container counts without its contents.
  public let kinds: [Share]
  /// The values of 256 bytes and more that occur several times, the most wasteful first; at most a hundred.
  public let duplicates: [Duplicate]

  /// The length of the file.
  public var byteCount: Int { archive.byteCount }
  /// The number of bytes that belong to no node.
  public var overheadByteCount: Int { overhead.reduce(0) { $0 + $1.byteCount } }

  /// Measures an archive; parts that cannot be read count as `(unreadable)`.
  public init(_ archive: ArchiveReader) {
    self.archive = archive
    let records = archive.records
    var contents = StoredSizes(records.metadata.keys)
    nodes = NodeSizes(records, &contents)
    contents.finish()
    var overhead = OverheadSizes(records)
    overhead.add("shared identifiers", nodes.sharedIdentifiers.byteCount, nodes.sharedIdentifiers.count)
    overhead.add("(unreadable)", nodes.unattributed, 1)
    self.overhead = overhead.parts
    types = Self.types(nodes, records)
    keys = Self.keys(contents, nodes)
    kinds = Self.kinds(contents, nodes)
    duplicates = Self.duplicates(contents, records)
  }

  // MARK: Nodes

  /// Returns the number of bytes of a node: its record, its identifier if no other node shares it, and its state.
  public func byteCount(of node: NodeReader) -> Int { own(at: node.recordIndex) }

  /// Returns the number of bytes of a node and of everything below it.
  public func subtreeByteCount(of node: NodeReader) -> Int {
    nodes.withAllBelow.indices.contains(node.recordIndex) ? nodes.withAllBelow[node.recordIndex] : 0
  }

  func own(at index: Int) -> Int { nodes.own.indices.contains(index) ? nodes.own[index] : 0 }

  // MARK: Views

  private static func types(_ nodes: NodeSizes, _ records: ArchiveRecords) -> [Share] {
    var amounts = [StoredSizes.Amount](repeating: StoredSizes.Amount(), count: records.metadata.types.count + 2)
    for index in nodes.own.indices where nodes.own[index] > 0 {
      guard let record = try? records.node(at: index).record else { continue }
      amounts[index == 0 ? 0 : Int(record.type) + 1].add(nodes.own[index])
    }
    let names = ["(application)", "(no type)"]
    let shares = amounts.enumerated().filter { $0.element.count > 0 }.map { place, amount in
      Share(place < names.count ? names[place] : records.metadata.types[place - names.count].text, amount)
    }
    return sorted(shares)
  }

  private static func keys(_ contents: StoredSizes, _ nodes: NodeSizes) -> [Share] {
    let shares = contents.keys.map { Share($0.name, $0.amount) }
    let others = others([
      ("(attributes)", contents.attributes), ("(providers)", contents.providers), ("(unreadable)", contents.unreadableEntries),
    ])
    return sorted(shares + others + records(nodes))
  }

  private static func kinds(_ contents: StoredSizes, _ nodes: NodeSizes) -> [Share] {
    let shares = contents.kinds.map { Share($0.key.name, $0.value) }
    let others = others([
      ("(keys)", contents.keyReferences), ("(sensitive marks)", contents.marks), ("(lengths of attributes)", contents.attributeLengths),
      ("(providers)", contents.providers), ("(unreadable)", contents.unreadableValues),
    ])
    return sorted(shares + others + records(nodes))
  }

  /// Returns the records and identifiers of nodes, which are outside the state.
  private static func records(_ nodes: NodeSizes) -> [Share] {
    let count = nodes.readableCount
    return [Share("(node records)", StoredSizes.Amount(byteCount: count * NodeRecord.byteCount, count: count))]
      + others([("(long identifiers)", StoredSizes.Amount(byteCount: nodes.identifierByteCount, count: count))])
  }

  private static func others(_ amounts: [(name: String, amount: StoredSizes.Amount)]) -> [Share] {
    amounts.filter { $0.amount.byteCount > 0 }.map { Share($0.name, $0.amount) }
  }

  private static func sorted(_ shares: [Share]) -> [Share] {
    shares.sorted { $0.byteCount == $1.byteCount ? $0.name.precedesAsText($1.name) : $0.byteCount > $1.byteCount }
  }

  private static func duplicates(_ contents: StoredSizes, _ records: ArchiveRecords) -> [Duplicate] {
    let sorted = contents.largeValues.values.sorted {
      let (left, right) = ((($1.copies - 1) * $1.byteCount, $0.record), (($0.copies - 1) * $0.byteCount, $1.record))
      return left == right ? $0.key.precedesAsText($1.key) : left < right
    }
    return sorted.prefix(100).map { value in
      Duplicate(
        kind: value.kind.name, byteCount: value.byteCount, copies: value.copies,
        path: records.path(of: value.record, placeholder: "?") ?? .application, key: value.key)
    }
  }
}

/// The bytes of a file that belong to no node: what nodes share, and what guards them.
struct OverheadSizes {
  /// The parts with their lengths, in file order; none is empty.
  private(set) var parts: [ArchiveSizes.Share] = []

  /// Measures the parts outside the sections `NODE`, `STRS` and `STAT`.
  init(_ records: ArchiveRecords) {
    let metadata = records.metadata
    add("prefix", ArchivePrefix.byteCount, 1)
    add("volatile header", ArchiveMetadata.volatileByteCount, metadata.volatileHeader.count)
    add("directory", table: metadata.sections) { 4 + OutputBuffer.varintLength($0.length) }
    add("header", table: metadata.header) { entry in
      let buffer = OutputBuffer(capacity: 16)
      entry.value.write(to: buffer)
      return OutputBuffer.textLength(entry.key.utf8.count) + buffer.count
    }
    add("origins", table: metadata.allOrigins) { $0.encoded.count }
    add("types", table: metadata.allTypes) { $0.byteCount }
    add("keys", table: 0..<metadata.keys.count) { OutputBuffer.textLength(metadata.keys.byteCount(at: $0)) }
    add("checksums", records.layout.tree.byteCount, records.layout.tree.leafCount)
    // The changes of a link, and the ancillary sections.
    for section in metadata.sections where !SectionCode.required.contains(section.code) {
      add("section \(section.code.text)", section.length, 1)
    }
    add("second copies", ArchivePrefix.byteCount + records.layout.metadataLength + records.layout.tree.byteCount, 1)
  }

  mutating func add(_ name: String, _ byteCount: Int, _ count: Int) {
    if byteCount > 0 { parts.append(ArchiveSizes.Share(name, StoredSizes.Amount(byteCount: byteCount, count: count))) }
  }

  /// Adds a table of the metadata, which has one valid form: its length follows from its contents.
  private mutating func add<Entries: Collection>(_ name: String, table: Entries, _ byteCount: (Entries.Element) -> Int) {
    add(name, table.reduce(OutputBuffer.varintLength(table.count)) { $0 + byteCount($1) }, table.count)
  }
}
