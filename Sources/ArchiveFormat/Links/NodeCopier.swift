/// Copies nodes of a checked file into an assembler.
struct NodeCopier {
  private let file: ChainFile
  private let assembler: ArchiveAssembler
  private var records: RecordCopier
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
    copyState(of: file.record(index), to: assembler.states.records)
    assembler.setState(start..<assembler.states.records.count, of: number)
  }

  /// Appends the state of a record to a buffer.
  mutating func copyState(of record: NodeRecord, to buffer: borrowing OutputBuffer) {
    records.copy(file.state(of: record), flags: record.flags, to: buffer)
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
