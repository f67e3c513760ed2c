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
  /// The ranges of the records read so far: records must not overlap (check E0 of Spec §7.2).
  private var read: DisjointRanges

  init(_ survey: RecordSurvey, limits: ReaderLimits) {
    self.survey = survey
    opening = survey.opening
    isStrict = opening.prefix.minorVersion <= ArchivePrefix.minorVersion
    let metadata = opening.metadata
    values = ValueReader(keys: metadata.keys, isStrict: isStrict, budget: ValueBudget(limits))
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
      let whole = VerifiedBytes(storage: opening.bytes, range: bytes, fileOffset: 0)
      if damage == nil, let contents = values.readIntactContents(of: whole, flags: record.flags) { return contents }
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
    let (survey, storage) = (survey, opening.bytes)
    return values.readIntactEntries(
      ByteCursor(range, fileOffset: 0), upTo: end, in: storage.span, role: role, damage: { survey.damageError($0) }, lose: lose)
  }
}
