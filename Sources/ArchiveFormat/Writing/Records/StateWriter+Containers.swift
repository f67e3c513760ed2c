// What Codable types ask of containers that have been written, beyond writing them: to go on with one, and to sort one.
extension StateWriter {
  // MARK: Where a container is

  /// What leads from one container to the next one within it.
  package enum PathStep {
    case key(String)
    case index(Int)
  }

  /// The way from the record to the container that is open.
  package var openPath: [PathStep] {
    (1..<max(state.value.frames.count, 1)).map { inner in
      let (outer, frame) = (state.value.frames[inner - 1], state.value.frames[inner])
      // The tag and one byte for the length stand in front of what is in a container.
      guard outer.hasKeys else { return .index(countElements(of: inner - 1, before: frame.start - 2)) }
      let entry = state.value.entries[frame.firstEntry - 1]
      return .key(buffer.withSpan { withKeyBytes(of: entry, $0) { $0.makeString() ?? "" } })
    }
  }

  /// The index of the element that is written next into the array that is open.
  package var nextIndex: Int {
    let frame = state.value.frames.count - 1
    return frame >= 0 ? countElements(of: frame, before: buffer.count) : 0
  }

  /// The number of elements of an open array that end at or before a place.
  ///
  /// Nothing is counted as elements are written, most of which nobody asks for. What was counted is not counted again.
  private func countElements(of index: Int, before end: Int) -> Int {
    var frame = state.value.frames[index]
    buffer.withSpan { bytes in
      var walker = RecordWalker(at: frame.countedEnd)
      while walker.position < end {
        walker.skipValue(bytes)
        frame.countedElements += 1
      }
      frame.countedEnd = walker.position
    }
    state.value.frames[index] = frame
    return frame.countedElements
  }

  // MARK: Going on with a container

  /// The entries of the container that is open, by their places among those of all open containers.
  package var openEntries: Range<Int> {
    (state.value.frames.last?.firstEntry ?? 0)..<state.value.entries.count
  }

  /// The number of a key, new or old; negative for one that stands in line.
  ///
  /// The key counts as used; ``noteDroppedEntry()`` says that it may not be.
  package func number(ofKey key: String) -> Int { state.value.number(of: key) }

  /// The number of the key of an entry of an open container; negative for one that stands in line.
  package func keyNumber(ofEntry entry: Int) -> Int { state.value.entries[entry].key }

  /// Whether an entry of an open container has this key, given the number of the key.
  package func isEntry(_ entry: Int, under key: String, number: Int) -> Bool {
    let pending = state.value.entries[entry]
    guard number < 0, pending.key < 0 else { return pending.key == number }
    return key.withUTF8Bytes { text in buffer.withSpan { withKeyBytes(of: pending, $0) { $0.isEqual(to: text) } } }
  }

  /// Notes that a key may have been numbered and not be used.
  package func noteDroppedEntry() { state.value.hasDroppedEntries = true }

  /// A container that was written, in the writer that goes on with it.
  package struct ContinuedContainer {
    /// Whether it has entries rather than elements.
    package let hasKeys: Bool
    /// The number of its elements.
    package let count: Int
  }

  /// Begins with a container that another writer has written as the value of an entry, the last of its key, so that more can be added to it.
  ///
  /// Its mark as sensitive, if it has one, is kept. Returns nil, and writes nothing, if the value is no container.
  package func continueContainer(ofEntry entry: Int, of source: StateWriter) throws(FormatError) -> ContinuedContainer? {
    let start = source.state.value.entries[entry].start
    return try source.buffer.withSpan { bytes throws(FormatError) in
      var walker = RecordWalker(at: start)
      guard let head = walker.enterContainer(bytes) else { return nil }
      if head.isSensitive { buffer.append(ValueTag.sensitive) }
      let hasKeys = head.tag == ValueTag.dictionary
      if hasKeys { try beginDictionary() } else { try beginArray() }
      var count = 0
      while walker.position < head.end {
        if hasKeys { copyKey(&walker, bytes, of: source) }
        walker.copyNextValue(bytes, to: buffer) { number in buffer.appendProvisionalKey(self.number(ofKey: number, of: source)) }
        count += 1
      }
      return ContinuedContainer(hasKeys: hasKeys, count: count)
    }
  }

  private func copyKey(_ walker: inout RecordWalker, _ bytes: Span<UInt8>, of source: StateWriter) {
    let start = buffer.count
    let number = walker.copyInlineKey(bytes, to: buffer).map { self.number(ofKey: $0, of: source) }
    state.value.entries.append(PendingEntry(start: start, key: number ?? State.notInTable))
    if let number { buffer.appendProvisionalKey(number) }
  }

  /// The number of a key of another writer.
  private func number(ofKey number: Int, of source: StateWriter) -> Int {
    source.withKey(number) { state.value.number(ofBytes: $0) }
  }

  // MARK: Sorting elements

  /// Puts the elements of the array that is open into ascending order of their bytes, all keys taken as in line (rule R-2-4).
  ///
  /// The elements of a set are sorted one by one, the pairs of a dictionary in groups of two. The numbers of keys say nothing: they depend on
  /// what was written before.
  package func sortElements(groupedBy size: Int) {
    guard let frame = state.value.frames.last, !frame.hasKeys else { return }
    var groups: [Range<Int>] = []
    var hasKeys = false
    buffer.withSpan { bytes in
      var walker = RecordWalker(at: frame.start)
      while walker.position < bytes.count {
        let start = walker.position
        for _ in 0..<size where walker.position < bytes.count { walker.walkValue(bytes) { _ in hasKeys = true } }
        groups.append(start..<walker.position)
      }
    }
    var texts = groups
    if hasKeys { texts = textsWithKeysInLine(of: groups) }
    let order = hasKeys ? scratch.withSpan { Self.order(of: texts, in: $0) } : buffer.withSpan { Self.order(of: texts, in: $0) }
    guard let order else { return }
    let sorted = OutputBuffer(capacity: buffer.count - frame.start)
    for group in order { sorted.append(groups[group], of: buffer) }
    buffer.truncate(to: frame.start)
    buffer.append(0..<sorted.count, of: sorted)
  }

  /// Writes values into the scratch buffer with all their keys in line; returns where each group of them is.
  private func textsWithKeysInLine(of groups: [Range<Int>]) -> [Range<Int>] {
    scratch.truncate(to: 0)
    return buffer.withSpan { bytes in
      groups.map { group in
        let start = scratch.count
        var walker = RecordWalker(at: group.lowerBound)
        while walker.position < group.upperBound {
          walker.copyNextValue(bytes, to: scratch) { number in withKey(number) { scratch.appendInlineKey($0) } }
        }
        return start..<scratch.count
      }
    }
  }

  /// The ascending order of texts; nil if they have it.
  private static func order(of texts: [Range<Int>], in bytes: Span<UInt8>) -> [Int]? {
    func precedes(_ left: Int, _ right: Int) -> Bool { bytes.extracting(texts[left]).precedes(bytes.extracting(texts[right])) }
    guard texts.indices.dropFirst().contains(where: { precedes($0, $0 - 1) }) else { return nil }
    return texts.indices.sorted { precedes($0, $1) }
  }
}
