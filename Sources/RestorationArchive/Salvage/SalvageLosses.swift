import ArchiveFormat

/// All that salvage could not rescue, or not put back where it was, in the order of the file.
///
/// A file can have a loss in every few of its bytes, and a path a quarter of a megabyte, so each loss is made when it is asked for; however
/// many there are, the list takes memory in proportion to the file.
public struct SalvageLosses: RandomAccessCollection, Sendable {
  private let list: LossNotes
  private let survey: RecordSurvey?

  /// No losses.
  init() {
    list = LossNotes()
    survey = nil
  }

  init(_ list: LossNotes, in survey: RecordSurvey) {
    self.list = list
    // It holds the whole file, which nobody needs if nothing is lost.
    self.survey = list.notes.isEmpty ? nil : survey
  }

  /// The first place.
  public var startIndex: Int { 0 }
  /// The place behind the last one.
  public var endIndex: Int { list.notes.count }

  /// What was lost, with all that is known of it.
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
    default: SalvageLoss(note.kind, path: survey?.path(of: index), key: key(of: note), cause)
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
  /// All of them.
  public var description: String { Array(self).description }
}
