import ArchiveFormat

/// All losses of a salvage, in file order.
///
/// A file can have a loss every few bytes, and a path can take a quarter of a megabyte. Losses are therefore created on
/// access: the list's memory is proportional to the length of the file.
public struct SalvageLosses: RandomAccessCollection, Sendable {
  private let list: LossNotes
  private let survey: RecordSurvey?

  /// Creates an empty list.
  init() {
    list = LossNotes()
    survey = nil
  }

  init(_ list: LossNotes, in survey: RecordSurvey) {
    self.list = list
    // The survey retains the whole file, which is unnecessary without losses.
    self.survey = list.notes.isEmpty ? nil : survey
  }

  /// The position of the first loss.
  public var startIndex: Int { 0 }
  /// The position after the last loss.
  public var endIndex: Int { list.notes.count }

  /// The loss at `position`, with all known details.
  ///
  /// - Complexity: O(n) in the length of the paths.
  public subscript(position: Int) -> SalvageLoss {
    let note = list.notes[position]
    let cause = list.cause(of: note)
    let index = Int(note.index)
    return switch note.kind {
    case .volatileHeader: SalvageLoss(note.kind, cause)
    case .section: SalvageLoss(note.kind, section: survey?.opening.metadata.sections[index].code.text, cause)
    case .nodes:
      SalvageLoss(note.kind, path: survey?.path(of: index), parent: survey?.pathOfParent(of: index), records: note.records, cause)
    case .identifier, .place: SalvageLoss(note.kind, path: survey?.path(of: index), records: note.records, cause)
    default: SalvageLoss(note.kind, path: survey?.path(of: index), records: note.records, key: key(of: note), cause)
    }
  }

  private func key(of note: LossNotes.Note) -> String? {
    guard let opening = survey?.opening else { return nil }
    switch note.key {
    case .none: return nil
    case .inTable(let index): return opening.metadata.keys.text(at: Int(index))
    case .inLine(let index):
      let storage = opening.bytes
      return storage.span.extracting(list.inlineKeys[Int(index)]).makeString() ?? ""
    }
  }
}

extension SalvageLosses: CustomStringConvertible {
  /// A list of all losses.
  public var description: String { Array(self).description }
}
