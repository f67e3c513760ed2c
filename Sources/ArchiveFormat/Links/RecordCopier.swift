import Storage

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

  /// Appends the state record at `range` of the file to a buffer.
  mutating func copy(_ range: Range<Int>, flags: UInt8, to buffer: borrowing OutputBuffer) {
    let file = file.bytes
    let bytes = file.span
    var walker = RecordWalker<StoredKey>()
    if isVerbatim {
      buffer.append(contentsOf: bytes.extracting(range))
      walker.walkRecord(range, of: bytes, flags: flags) { key in if !key.isInline { _ = number(of: key.index) } }
    } else {
      walker.copyRecord(range, of: bytes, flags: flags, to: buffer) { key in
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
