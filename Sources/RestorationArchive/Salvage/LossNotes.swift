import ArchiveFormat

/// What salvage noted of each loss, in 32 bytes: a path alone can have a quarter of a megabyte, and a hostile file a loss in every few of
/// its bytes.
struct LossNotes: Sendable {
  /// One of them.
  struct Note {
    /// Where the fault is in the file; -1 if that is not known.
    fileprivate let offset: Int
    /// The record concerned, or the first of them; for a section, its place among all.
    let index: Int32
    /// How many records.
    fileprivate(set) var count: Int32
    /// The place in the list of causes.
    fileprivate let cause: Int32
    /// The key, if there is one.
    let key: Key
    /// What was lost.
    let kind: SalvageLoss.Kind

    /// The records concerned.
    var records: Range<Int> { Int(index)..<(Int(index) + Int(count)) }
  }

  /// How the key of a loss is found again.
  enum Key {
    /// There is none.
    case none
    /// By its place in the key table.
    case inTable(Int32)
    /// By its place in ``inlineKeys``.
    case inLine(Int32)
  }

  private(set) var notes: [Note] = []
  /// Where keys are in the file that stand in line.
  private(set) var inlineKeys: [Range<Int>] = []
  /// The causes without their offsets; most losses share one.
  private var causes: [ArchiveError] = []
  private var places: [ArchiveError: Int32] = [:]

  /// Notes a loss.
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

  /// Takes back all but the first `count` losses.
  mutating func removeAll(behind count: Int) {
    notes.removeLast(notes.count - count)
  }

  /// Joins losses of nodes that follow each other and have the same cause.
  ///
  /// - Parameter areAlike: Whether those from the first to the second record, and the third one, shared the same fate.
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
    removeAll(behind: end)
  }

  /// What is wrong with the file there.
  func cause(of note: Note) -> ArchiveError {
    var error = causes[Int(note.cause)]
    error.offset = note.offset < 0 ? nil : note.offset
    return error
  }

  /// Whether anything was lost but the volatile header.
  var costsContent: Bool { notes.contains { $0.kind != .volatileHeader } }

  /// Gives up what only adding to them needs.
  mutating func close() {
    places = [:]
  }
}
