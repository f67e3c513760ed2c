import ArchiveFormat

/// Reads the remains of state records: an intact record as a whole, others entry by entry (Spec §7.6).
///
/// An entry is rescued if all its bytes are intact and it obeys every rule. Reading continues after a lost entry if its
/// key, tag and length are intact, because they locate the next entry.
struct StateSalvage {
  private let survey: RecordSurvey
  private let opening: SalvageOpening
  private let isStrict: Bool
  private var values: ValueReader
  /// The ranges of the intact records so far: none may share bytes with an earlier one (check E0 of Spec §7.2).
  private var read: DisjointRanges
  /// The ranges of the other records so far: their entries are read only if they share bytes with no earlier record of
  /// either kind (rule R-7.6-9), so that no byte is read more than three times.
  private var damaged: DisjointRanges

  init(_ survey: RecordSurvey, limits: ReaderLimits) {
    self.survey = survey
    opening = survey.opening
    isStrict = opening.prefix.minorVersion <= ArchivePrefix.minorVersion
    let metadata = opening.metadata
    values = ValueReader(keys: metadata.keys, isStrict: isStrict, budget: ValueBudget(limits))
    let available = opening.bytes.count - opening.layout.body.lowerBound - metadata.states.lowerBound
    read = DisjointRanges(count: min(metadata.states.count, max(available, 0)))
    damaged = read
  }

  /// Returns the remaining contents of the state record of a node, and records the losses.
  mutating func contents(of index: Int, noting losses: inout LossNotes) -> StateContents {
    let metadata = opening.metadata
    guard let record = survey.record(index), record.hasStateRecord, let range = record.stateRange(length: metadata.states.count) else {
      return StateContents()
    }
    let count = losses.notes.count
    let start = opening.layout.body.lowerBound + metadata.states.lowerBound
    let bytes = (start + range.lowerBound)..<(start + range.upperBound)
    do throws(FormatError) {
      // Bytes beyond the end of the file count as damage and are not added to the set. Entries before the end may be
      // intact.
      let available = bytes.clamped(to: 0..<opening.bytes.count)
      guard available.lowerBound == bytes.lowerBound, bytes.isEmpty || !available.isEmpty else {
        throw survey.damageError(bytes) ?? FormatError(.truncated, at: nil)
      }
      let damage = survey.damageError(bytes)
      guard mayRead(range.prefix(available.count), isIntact: damage == nil) else { throw FormatError(.stateOrder, at: bytes.lowerBound) }
      let whole = VerifiedBytes(storage: opening.bytes, range: bytes, fileOffset: 0)
      if damage == nil, let contents = values.readIntactContents(of: whole, flags: record.flags) { return contents }
      do throws(FormatError) {
        return try remains(of: bytes, available: available, index, flags: record.flags, noting: &losses)
      } catch {
        throw damage ?? error
      }
    } catch {
      losses.removeAll(after: count)
      losses.append(.state, index..<(index + 1), cause: error)
      return StateContents()
    }
  }

  /// Returns whether the record at a range may be read, and remembers it.
  private mutating func mayRead(_ range: Range<Int>, isIntact: Bool) -> Bool {
    if isIntact { return read.insert(range) }
    return !read.overlaps(range) && damaged.insert(range)
  }

  // MARK: Damaged records

  /// Reads the remains of the record at `range`, of which only `available` lies within the file.
  private mutating func remains(
    of range: Range<Int>, available: Range<Int>, _ index: Int, flags: UInt8, noting losses: inout LossNotes
  ) throws(FormatError) -> StateContents {
    let storage = opening.bytes
    let span = storage.span
    let survey = survey
    let parts = try RecordParts(
      ByteCursor(available, fileOffset: 0), in: span, flags: flags, end: range.upperBound, validates: false,
      damage: { survey.damageError($0) })
    let records = index..<(index + 1)
    var contents = StateContents()
    if let (name, identifier) = parts.provider {
      readProvider(name, identifier, &contents) { losses.append(.provider, records, cause: $0) }
    }
    if let attributes = parts.attributes {
      contents.attributes = entries(attributes, upTo: parts.attributesEnd, role: .attributes(strict: isStrict)) { key, error in
        losses.append(key == nil ? .attributes : .attribute, records, key: key, cause: error)
      }
    }
    contents.state = entries(parts.entries, upTo: range.upperBound, role: .state) { key, error in
      losses.append(key == nil ? .values : .value, records, key: key, cause: error)
    }
    return contents
  }

  private func readProvider(
    _ name: Range<Int>, _ identifier: Range<Int>, _ contents: inout StateContents, lose: (FormatError) -> Void
  ) {
    let storage = opening.bytes
    let span = storage.span
    if let error = survey.damageError(name) ?? survey.damageError(identifier) {
      lose(error)
    } else if let name = span.extracting(name).makeString(), let identifier = span.extracting(identifier).makeString() {
      contents.provider = ProviderReference(name: name, identifier: identifier)
    } else {
      lose(FormatError(.invalidUTF8, at: name.lowerBound))
    }
  }

  /// Returns the entries that can be rescued; see ``ValueReader/readIntactEntries(_:upTo:in:role:damage:lose:)``.
  private mutating func entries(
    _ cursor: ByteCursor, upTo end: Int, role: EntryRole, lose: (KeyReference?, FormatError) -> Void
  ) -> ArchiveDictionary {
    let (survey, storage) = (survey, opening.bytes)
    return values.readIntactEntries(
      cursor, upTo: end, in: storage.span, role: role, damage: { survey.damageError($0) }, lose: lose)
  }
}
