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
    var position = range.lowerBound
    if isVerbatim { buffer.append(contentsOf: bytes.extracting(range)) }
    if flags & NodeRecord.hasProvider != 0 {
      for _ in 0..<2 { position = bytes.checkedVarint(at: &position) &+ position }
      if !isVerbatim { buffer.append(contentsOf: bytes.extracting(range.lowerBound..<position)) }
    }
    if flags & NodeRecord.hasAttributes != 0 {
      let length = bytes.checkedVarint(at: &position)
      copyContainer(bytes, &position, end: position &+ length, hasKeys: true, to: buffer)
    }
    copyEntries(bytes, &position, end: range.upperBound, to: buffer)
  }

  private mutating func copyContainer(
    _ bytes: Span<UInt8>, _ position: inout Int, end: Int, hasKeys: Bool, to buffer: borrowing OutputBuffer
  ) {
    let place = buffer.count
    if !isVerbatim { buffer.append(0 as UInt8) }
    if hasKeys {
      copyEntries(bytes, &position, end: end, to: buffer)
    } else {
      while position < end { copyValue(bytes, &position, to: buffer) }
    }
    if !isVerbatim { buffer.closeLength(at: place) }
  }

  /// Copies entries; the nesting of a checked file bounds the recursion.
  private mutating func copyEntries(_ bytes: Span<UInt8>, _ position: inout Int, end: Int, to buffer: borrowing OutputBuffer) {
    while position < end {
      let lead = bytes[position]
      position &+= 1
      if lead == KeyReference.inlineLead {
        let length = bytes.checkedVarint(at: &position)
        copyInlineKey(bytes.extracting(position..<(position &+ length)), to: buffer)
        position &+= length
      } else {
        var index = Int(lead) &- 1
        if lead >= KeyReference.twoByteLead {
          index = KeyReference.oneByteCount &+ Int(lead &- KeyReference.twoByteLead) &<< 8 &+ Int(bytes[position])
          position &+= 1
        }
        copyKey(index, to: buffer)
      }
      copyValue(bytes, &position, to: buffer)
    }
  }

  @inline(__always)
  private mutating func copyKey(_ index: Int, to buffer: borrowing OutputBuffer) {
    var number = numbers[index]
    if number < 0 {
      number = file.metadata.keys.withBytes(at: index) { target.useKey($0) }
      numbers[index] = number
    }
    if !isVerbatim { buffer.appendProvisionalKey(number) }
  }

  private func copyInlineKey(_ key: Span<UInt8>, to buffer: borrowing OutputBuffer) {
    if isVerbatim { return }
    // A short key was inline because the table of its file was full.
    if FormatLimits.tableKey.contains(key.count) {
      buffer.appendProvisionalKey(target.useKey(key))
    } else {
      buffer.appendInlineKey(key)
    }
  }

  private mutating func copyValue(_ bytes: Span<UInt8>, _ position: inout Int, to buffer: borrowing OutputBuffer) {
    let start = position
    var tag = bytes[position]
    position &+= 1
    if tag == ValueTag.sensitive {
      tag = bytes[position]
      position &+= 1
    }
    if tag == ValueTag.dictionary || tag == ValueTag.array {
      if !isVerbatim { buffer.append(contentsOf: bytes.extracting(start..<position)) }
      let length = bytes.checkedVarint(at: &position)
      copyContainer(bytes, &position, end: position &+ length, hasKeys: tag == ValueTag.dictionary, to: buffer)
      return
    }
    var walker = RecordWalker(at: position &- 1)
    walker.skipValue(bytes)
    position = walker.position
    if !isVerbatim { buffer.append(contentsOf: bytes.extracting(start..<position)) }
  }
}
