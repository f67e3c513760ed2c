import ArchiveFormat

/// A compact record of each loss, in 32 bytes, in file order: a path can take a quarter of a megabyte, and a hostile file
/// can have a loss every few bytes.
struct LossNotes: Sendable {
  /// The record of one loss.
  struct Note {
    /// The offset of the fault in the file; -1 if unknown.
    fileprivate let offset: Int
    /// The first affected record; for a section, its index.
    let index: Int32
    /// The number of affected records.
    fileprivate(set) var count: Int32
    /// The index in the list of causes.
    fileprivate let cause: Int32
    /// The key, if there is one.
    fileprivate let key: Key
    /// The kind of loss.
    let kind: SalvageLoss.Kind

    /// The affected records.
    var records: Range<Int> { Int(index)..<(Int(index) + Int(count)) }
  }

  /// The location of a loss's key.
  enum Key {
    /// There is no key.
    case none
    /// An index in the key table.
    case inTable(Int32)
    /// An index in ``inlineKeys``.
    case inLine(Int32)
  }

  private(set) var notes: [Note] = []
  /// The file ranges of inline keys.
  private var inlineKeys: [Range<Int>] = []
  /// The causes without their offsets; most losses share a cause.
  private var causes: [ArchiveError] = []
  private var places: [ArchiveError: Int32] = [:]

  /// Records a loss.
  mutating func append(_ kind: SalvageLoss.Kind, _ records: Range<Int>, key: KeyReference? = nil, cause: FormatError) {
    var error = ArchiveError(cause)
    error.offset = nil
    var place = places[error]
    if place == nil {
      place = Int32(causes.count)
      places[error] = place
      causes.append(error)
    }
    notes.append(
      Note(
        offset: cause.offset ?? -1, index: Int32(records.lowerBound), count: Int32(records.count), cause: place ?? 0,
        key: note(key), kind: kind))
  }

  private mutating func note(_ key: KeyReference?) -> Key {
    guard let key else { return .none }
    if !key.isInline { return .inTable(Int32(key.index)) }
    inlineKeys.append(key.inlineRange)
    return .inLine(Int32(inlineKeys.count - 1))
  }

  /// Removes all but the first `count` losses.
  mutating func removeAll(after count: Int) {
    notes.removeLast(notes.count - count)
  }

  /// Merges consecutive losses of nodes with the same cause.
  ///
  /// - Parameter areAlike: Returns whether the records from `first` to `last` and the record `next` were lost in the
  ///   same way.
  mutating func joinRuns(where areAlike: (_ first: Int, _ last: Int, _ next: Int) -> Bool) {
    var end = 0
    for place in notes.indices {
      let note = notes[place]
      if end > 0, note.kind == .nodes, notes[end - 1].kind == .nodes {
        let last = notes[end - 1]
        if last.cause == note.cause, last.offset == note.offset,
          areAlike(last.records.lowerBound, last.records.upperBound - 1, Int(note.index))
        {
          notes[end - 1].count += note.count
          continue
        }
      }
      notes[end] = note
      end += 1
    }
    removeAll(after: end)
  }

  /// Returns the fault of the file that caused a loss.
  func cause(of note: Note) -> ArchiveError {
    var error = causes[Int(note.cause)]
    error.offset = note.offset < 0 ? nil : note.offset
    return error
  }

  /// Whether anything but the volatile header was lost.
  var costsContent: Bool { notes.contains { $0.kind != .volatileHeader } }

  /// Releases the memory that is needed only for adding losses.
  mutating func close() {
    places = [:]
  }
}

extension LossNotes {
  /// Returns the loss at `position`, with all known details.
  ///
  /// - Complexity: O(n) in the length of the paths.
  func loss(at position: Int, in survey: RecordSurvey) -> SalvageLoss {
    let note = notes[position]
    let cause = cause(of: note)
    let index = Int(note.index)
    return switch note.kind {
    case .volatileHeader: SalvageLoss(note.kind, cause)
    case .section: SalvageLoss(note.kind, section: survey.opening.metadata.sections[index].code.text, cause)
    case .nodes:
      SalvageLoss(note.kind, path: survey.path(of: index), parent: survey.pathOfParent(of: index), records: note.records, cause)
    case .identifier, .place: SalvageLoss(note.kind, path: survey.path(of: index), records: note.records, cause)
    default: SalvageLoss(note.kind, path: survey.path(of: index), records: note.records, key: text(of: note.key, in: survey.opening), cause)
    }
  }

  private func text(of key: Key, in opening: SalvageOpening) -> String? {
    switch key {
    case .none: return nil
    case .inTable(let index): return opening.metadata.keys.text(at: Int(index))
    case .inLine(let index):
      let storage = opening.bytes
      return storage.span.extracting(inlineKeys[Int(index)]).makeString() ?? ""
    }
  }
}
