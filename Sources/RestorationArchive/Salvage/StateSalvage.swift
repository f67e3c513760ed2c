import ArchiveFormat

/// Reads the remains of state records: an intact record as a whole, others entry by entry (Spec §7.6).
///
/// An entry is rescued if all its bytes are intact and it obeys every rule. Reading continues after a lost entry if its
/// key, tag and length are intact, because they locate the next entry.
struct StateSalvage {
  private let survey: RecordSurvey
  private let opening: SalvageOpening
  private let isStrict: Bool
  private var budget: ValueBudget
  /// The ranges of the records read so far: records must not overlap (check E0 of Spec §7.2).
  private var read: DisjointRanges

  init(_ survey: RecordSurvey, limits: ReaderLimits) {
    self.survey = survey
    opening = survey.opening
    isStrict = opening.prefix.minorVersion <= ArchivePrefix.minorVersion
    budget = ValueBudget(limits)
    let metadata = opening.metadata
    let available = opening.bytes.count - opening.layout.body.lowerBound - metadata.states.lowerBound
    read = DisjointRanges(count: min(metadata.states.count, max(available, 0)))
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
      guard read.insert(range.prefix(available.count)) else { throw FormatError(.stateOrder, at: bytes.lowerBound) }
      let damage = survey.damageError(bytes)
      if damage == nil, let whole = wholeContents(of: bytes, flags: record.flags) { return whole }
      do throws(FormatError) {
        return try remains(of: bytes, available: available, index, flags: record.flags, noting: &losses)
      } catch {
        throw damage ?? error
      }
    } catch {
      losses.removeAll(behind: count)
      losses.append(.state, index..<(index + 1), cause: error)
      return StateContents()
    }
  }

  /// Returns the contents of a record that is intact and obeys every rule.
  private mutating func wholeContents(of range: Range<Int>, flags: UInt8) -> StateContents? {
    var reader = ValueReader(keys: opening.metadata.keys, isStrict: isStrict, budget: budget)
    let record = VerifiedBytes(storage: opening.bytes, range: range, fileOffset: 0)
    guard let contents = try? reader.readContents(of: record, flags: flags) else { return nil }
    budget = reader.budget
    return contents
  }

  // MARK: Damaged records

  /// Reads the remains of the record at `range`, of which only `available` lies within the file.
  private mutating func remains(
    of range: Range<Int>, available: Range<Int>, _ index: Int, flags: UInt8, noting losses: inout LossNotes
  ) throws(FormatError) -> StateContents {
    let storage = opening.bytes
    let span = storage.span
    var contents = StateContents()
    var cursor = ByteCursor(available, fileOffset: 0)
    if flags & NodeRecord.hasProvider != 0 {
      let start = cursor.position
      let name = try cursor.readString(in: span, bounds: FormatLimits.providerName, "name of the provider")
      let nameError = survey.damageError(start..<name.lowerBound)
      if let nameError { throw nameError }
      let identifierStart = cursor.position
      let identifier = try cursor.readString(in: span, bounds: FormatLimits.providerName, "name within the provider")
      if let error = survey.damageError(identifierStart..<identifier.lowerBound) { throw error }
      readProvider(name, identifier, &contents) { losses.append(.provider, index..<(index + 1), cause: $0) }
    }
    if flags & NodeRecord.hasAttributes != 0 {
      let start = cursor.position
      let attributes = try cursor.readLength(in: span, "attributes")
      if let error = survey.damageError(start..<attributes.lowerBound) { throw error }
      cursor.position = attributes.upperBound
      contents.attributes = entries(attributes, upTo: attributes.upperBound, role: .attributes(strict: isStrict)) { key, error in
        losses.append(key == nil ? .attributes : .attribute, index..<(index + 1), key: key, cause: error)
      }
    }
    contents.state = entries(cursor.position..<cursor.end, upTo: range.upperBound, role: .state) { key, error in
      losses.append(key == nil ? .values : .value, index..<(index + 1), key: key, cause: error)
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

  /// Returns the entries of `range` that can be rescued.
  ///
  /// In a truncated file, `range` stops before `end`, where the entries should end.
  ///
  /// Calls `lose` with the key of each entry that is lost, and once without a key if no entry after some point can be
  /// found.
  private mutating func entries(
    _ range: Range<Int>, upTo end: Int, role: EntryRole, lose: (KeyReference?, FormatError) -> Void
  ) -> ArchiveDictionary {
    let keys = opening.metadata.keys
    let storage = opening.bytes
    let span = storage.span
    var reader = EntryReader(ByteCursor(range, fileOffset: 0), role: role, keys: keys)
    var entries: [ArchiveDictionary.Entry] = []
    var start = range.lowerBound
    do throws(FormatError) {
      while let entry = try reader.next(in: span, keys: keys) {
        // Numbers are stored in the tag or in the bytes before the payload's end; only a payload may be missing.
        if let error = survey.damageError(start..<headEnd(of: entry.value, before: reader.cursor.position)) { throw error }
        do throws(FormatError) {
          if let error = survey.damageError(start..<reader.cursor.position) { throw error }
          let key = keys.text(of: entry.key, in: span)
          entries.append(ArchiveDictionary.Entry(key: key, value: try value(entry), isSensitive: entry.isSensitive))
        } catch {
          lose(entry.key, error)
        }
        start = reader.cursor.position
      }
    } catch {
      lose(nil, survey.damageError(start..<end) ?? error)
    }
    // No error is thrown if the file ends between two entries.
    if range.upperBound < end, start == range.upperBound, let error = survey.damageError(start..<end) {
      lose(nil, error)
    }
    return ArchiveDictionary(sorted: EntryList(entries))
  }

  /// Returns the end of the part of an entry that determines its length.
  private func headEnd(of value: RawValue, before end: Int) -> Int {
    switch value.kind {
    case .string, .data, .url, .reference, .array, .dictionary, .unknown: value.payload.lowerBound
    default: end
    }
  }

  private mutating func value(_ entry: RawEntry) throws(FormatError) -> ArchiveValue {
    let storage = opening.bytes
    var reader = ValueReader(keys: opening.metadata.keys, isStrict: isStrict, budget: budget)
    let value = try reader.readValue(entry.value, in: storage.span, fileOffset: 0, tagAt: entry.tagStart, depth: 0)
    budget = reader.budget
    return value
  }
}
