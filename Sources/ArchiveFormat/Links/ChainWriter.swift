import Storage

/// Writes the archive that a chain stands for (Spec §15.3).
///
/// Every state record is copied from one file; no value is decoded.
package struct ChainWriter: ~Copyable {
  private let files: [ChainFile]
  private let overlay: ChainOverlay
  private let assembler: ArchiveAssembler
  private var copiers: [NodeCopier]

  /// Applies links to a base: returns the bytes of the archive or, if the links only replace contents, a patch for the
  /// bytes of the base.
  ///
  /// - Parameters:
  ///   - base: The base.
  ///   - links: The links.
  ///   - tried: Set to the number of links that were tried, the last of which is at fault if this function throws.
  /// - Returns: The result.
  /// - Throws: `missing-node`, with the number of the record in the link; `table-size`, `file-too-large`.
  /// - Complexity: O(n log f) in the nodes of all files, where f is the largest number of siblings, and O(n) in the bytes.
  package static func write(_ base: ChainFile, _ links: some Collection<ChainFile>, tried: inout Int) throws(FormatError) -> ChainResult {
    var overlay = ChainOverlay(base)
    tried = 0
    for link in links {
      tried += 1
      if let table = link.link { try overlay.apply(link, table, number: tried) }
    }
    let files = [base] + links
    if let patch = ContentsPatch(files, overlay) { return .patch(patch) }
    var writer = ChainWriter(files, overlay)
    return .whole(try writer.write())
  }

  private init(_ files: [ChainFile], _ overlay: consuming ChainOverlay) {
    self.files = files
    self.overlay = overlay
    assembler = ArchiveAssembler(nodeCount: files[0].records.count)
    let isVerbatim = assembler.states.adoptKeys(of: files[0].metadata.keys)
    copiers = []
    for file in files { copiers.append(NodeCopier(file, to: assembler, isVerbatim: isVerbatim && file === files[0])) }
  }

  /// A node that is to be written.
  private struct Step: BitwiseCopyable {
    /// A record of the base, or minus one minus the index of a node of the overlay.
    let place: Int
    /// The number of the parent in the assembler.
    let parent: Int
  }

  private mutating func write() throws(FormatError) -> OutputBuffer {
    // The last step is the next one, so children are added in reverse order.
    var stack = ScratchArray<Step>(capacity: 64)
    stack.append(Step(place: -1, parent: -1))
    var children = ScratchArray<Int>(capacity: 64)
    while let step = stack.last {
      stack.truncate(to: stack.count - 1)
      var (file, record) = (0, step.place)
      if step.place < 0 {
        let node = overlay.nodes[-1 - step.place]
        (file, record) = (Int(node.file), Int(node.record))
      }
      let number = try add(record, of: file, below: step.parent)
      children.truncate(to: 0)
      addChildren(of: step.place, to: &children)
      var index = children.count
      while index > 0 {
        index -= 1
        stack.append(Step(place: children[index], parent: number))
      }
    }
    let last = files[files.count - 1]
    return try assembler.finish(
      try ArchiveSurroundings(header: last.header, sections: last.sections, minorVersion: last.prefix.minorVersion))
  }

  private func addChildren(of place: Int, to children: inout ScratchArray<Int>) {
    var record = place
    if place < 0 {
      let index = -1 - place
      let hasList = overlay.visitList(of: index) { item in
        switch item {
        case .head: break
        case .base(let record): children.append(overlay.node(ofBase: Int(record)).map { -1 - $0 } ?? Int(record))
        case .added(let node): children.append(-1 - Int(node))
        }
      }
      guard !hasList, let base = overlay.nodes[index].base else { return }
      record = Int(base)
    }
    let range = files[0].children(of: record)
    let first = children.count
    children.append(repeating: 0, count: range.count)
    for child in range {
      // Below a node without a record in any link, no node has one.
      let node = place < 0 ? overlay.node(ofBase: child) : nil
      children[first + files[0].records.savedOrder(at: child)] = node.map { -1 - $0 } ?? child
    }
  }

  /// Adds a node with the parts of a record of a file; without a parent it is the application, which exists already.
  private mutating func add(_ index: Int, of file: Int, below parent: Int) throws(FormatError) -> Int {
    let number = parent < 0 ? 0 : try copiers[file].addNode(index, below: parent)
    if files[file].record(index).stateLength > 0 { copiers[file].copyState(of: index, to: number) }
    return number
  }
}

/// The result of applying links to a base.
package enum ChainResult: ~Copyable {
  /// The bytes of the archive.
  case whole(OutputBuffer)
  /// Changes to the bytes of the base.
  case patch(ContentsPatch)
}

/// Copies nodes of a checked file into an assembler.
struct NodeCopier {
  private let file: ChainFile
  private let assembler: ArchiveAssembler
  var records: RecordCopier
  /// For each number of a type in the file, the number in the assembler; 0 until it is first used.
  private var types: [UInt32]
  /// The same for origins.
  private var origins: [UInt16]

  /// Creates a copier from a file; see ``RecordCopier`` for `isVerbatim`.
  init(_ file: ChainFile, to assembler: ArchiveAssembler, isVerbatim: Bool) {
    self.file = file
    self.assembler = assembler
    records = RecordCopier(file, to: assembler.states, isVerbatim: isVerbatim)
    types = [UInt32](repeating: 0, count: file.metadata.types.count + 1)
    origins = [UInt16](repeating: 0, count: file.metadata.origins.count + 1)
  }

  /// Adds a node with the identifier, type, origin and flags of a record, but without its state.
  ///
  /// - Returns: The number of the node in the assembler.
  mutating func addNode(_ index: Int, below parent: Int) throws(FormatError) -> Int {
    let record = file.record(index)
    let bytes = file.bytes
    let span = bytes.span
    return try assembler.addCopy(
      parent: parent, identifier: span.extracting(file.identifier(of: index, in: span)), type: type(record.type),
      origin: origin(record.origin), flags: record.flags)
  }

  /// Copies the state of a record to a node of the assembler.
  mutating func copyState(of index: Int, to number: Int) {
    let start = assembler.states.records.count
    records.copy(file.record(index), to: assembler.states.records)
    assembler.setState(start..<assembler.states.records.count, of: number)
  }

  private mutating func type(_ number: UInt16) throws(FormatError) -> UInt32 {
    if number == 0 || types[Int(number)] > 0 { return types[Int(number)] }
    guard let type = file.metadata.type(number) else { return 0 }
    types[Int(number)] = try assembler.types.number(of: type.tag, schemaVersion: type.schemaVersion)
    return types[Int(number)]
  }

  private mutating func origin(_ number: UInt16) throws(FormatError) -> UInt16 {
    if number == 0 || origins[Int(number)] > 0 { return origins[Int(number)] }
    guard let origin = file.metadata.origin(number) else { return 0 }
    origins[Int(number)] = try assembler.origins.number(of: origin)
    return origins[Int(number)]
  }
}

/// Copies state records of a checked file into the form in which a ``StateWriter`` keeps them until keys are numbered.
///
/// Trusts the bytes, so it must not be used on files with findings.
struct RecordCopier {
  private let file: ChainFile
  private let target: StateWriter
  /// For each key of the file's table, its number in the target; -1 until it is first used.
  private var numbers: [Int]
  /// Whether a reference of the file is a reference of the target too, so that records can be copied as a whole.
  private let isVerbatim: Bool

  /// Creates a copier from a file.
  ///
  /// If the target has adopted the file's keys (``StateWriter/adoptKeys(of:)``), records are copied verbatim.
  init(_ file: ChainFile, to target: StateWriter, isVerbatim: Bool) {
    self.file = file
    self.target = target
    self.isVerbatim = isVerbatim
    numbers = [Int](repeating: -1, count: file.metadata.keys.count)
  }

  /// Appends the state of a node record of the file to a buffer.
  mutating func copy(_ record: NodeRecord, to buffer: borrowing OutputBuffer) {
    let (range, file) = (file.state(of: record), file.bytes)
    let bytes = file.span
    var walker = RecordWalker<StoredKey>()
    if isVerbatim {
      buffer.append(contentsOf: bytes.extracting(range))
      walker.walkRecord(range, of: bytes, flags: record.flags) { key, _ in if !key.isInline { _ = number(of: key.index) } }
    } else {
      walker.copyRecord(range, of: bytes, flags: record.flags, to: buffer) { key in
        buffer.appendProvisionalKey(key.isInline ? target.useKey(bytes.extracting(key.inlineRange)) : number(of: key.index))
      }
    }
  }

  /// Returns the number in the target of a key of the file's table.
  @inline(__always)
  private mutating func number(of index: Int) -> Int {
    if numbers[index] < 0 { numbers[index] = file.metadata.keys.withBytes(at: index) { target.useKey($0) } }
    return numbers[index]
  }
}
