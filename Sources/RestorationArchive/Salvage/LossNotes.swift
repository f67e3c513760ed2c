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

/// Content that salvage could not rescue, or could not put back in its place (Spec §7.6).
public struct SalvageLoss: Sendable, Equatable {
  /// The kind of lost content.
  public enum Kind: String, Sendable, CaseIterable {
    /// Nodes, with their names and states, whose records are lost.
    case nodes
    /// The name of a node; the rest of the node was rescued.
    case identifier
    /// The place of a node; the rest of the node was rescued.
    case place
    /// The whole state record of a node: provider, attributes and state.
    case state
    /// The provider reference of a node.
    case provider
    /// One attribute of a node.
    case attribute
    /// All attributes of a node after a fault; their keys are lost too.
    case attributes
    /// The value under one key of a node's state.
    case value
    /// All entries of a node's state after a fault; their keys are lost too.
    case values
    /// An ancillary section.
    case section
    /// The volatile header: timestamp, system version and writer.
    case volatileHeader
  }

  /// The kind of lost content.
  public let kind: Kind
  /// The path of the node in the salvaged archive; for a lost node, the path of its placeholder, if it had descendants.
  public let path: RestorationPath?
  /// For lost nodes, the path of their parent in the salvaged archive, if known.
  public let parent: RestorationPath?
  /// The indexes of the node records in the damaged file.
  public let records: Range<Int>?
  /// The outermost key.
  public let key: String?
  /// The code of the section.
  public let section: String?
  /// The fault in the file that caused the loss.
  public let cause: ArchiveError

  init(
    _ kind: Kind, path: RestorationPath? = nil, parent: RestorationPath? = nil, records: Range<Int>? = nil, key: String? = nil,
    section: String? = nil, _ cause: ArchiveError
  ) {
    self.kind = kind
    self.path = path
    self.parent = parent
    self.records = records
    self.key = key
    self.section = section
    self.cause = cause
  }
}

extension SalvageLoss: CustomStringConvertible {
  /// A line that states the loss and its cause, safe to print.
  public var description: String {
    "\(words) (\(cause.code.rawValue)\(cause.offset.map { " at offset 0x\(String($0, radix: 16))" } ?? ""))"
  }

  private var words: String {
    switch kind {
    case .nodes: nodeWords
    case .identifier: "the identifier of node \(number), which is now \(place)"
    case .place: "the place of node \(number), which is now \(place)"
    case .state: "the state of \(place)"
    case .provider: "the provider of \(place)"
    case .attribute: "attribute \(name) of \(place)"
    case .attributes: "the attributes of \(place), from offset 0x\(String(cause.offset ?? 0, radix: 16)) on"
    case .value: "key \(name) of \(place)"
    case .values: "the state of \(place), from offset 0x\(String(cause.offset ?? 0, radix: 16)) on"
    case .section: "section \(section ?? "")"
    case .volatileHeader: "the timestamp, system version and writer"
    }
  }

  private var nodeWords: String {
    let first = records?.lowerBound ?? 0
    let count = records?.count ?? 0
    var words = count == 1 ? "node \(first)" : "nodes \(first) to \(first + count - 1)"
    if first == 0, count == 1 { return "the record of the application, and its state" }
    if let parent { words += " below \(parent.displayText)" }
    if let path { words += "; its descendants are now below \(path.displayText)" }
    return words
  }

  private var number: Int { records?.lowerBound ?? 0 }
  private var name: String { key?.escapedForDisplay ?? "" }
  private var place: String { path?.displayText ?? "(unknown)" }
}
