import Locking
import RestorationArchive

/// The archives whose last save has failed, or their restoring, with the errors.
final class SaveFailures: Sendable {
  /// The errors, the latest last.
  private let errors = Lock<[(archive: ArchiveName, error: any Error)]>([])

  /// The latest error of an archive that has not succeeded since.
  var last: (any Error)? { errors.withLock { $0.last?.error } }

  /// Records a failure; returns whether it must be reported, which is once until the next success.
  func begin(_ error: any Error, of archive: ArchiveName) -> Bool {
    errors.withLock { errors in
      let isFirst = !errors.contains { $0.archive == archive }
      errors.removeAll { $0.archive == archive }
      errors.append((archive, error))
      return isFirst
    }
  }

  /// Records a successful save.
  func end(_ archive: ArchiveName) { errors.withLock { $0.removeAll { $0.archive == archive } } }
}

/// Reports mistakes of the app that captures find, each once: an object that cannot be saved goes unnoticed otherwise.
final class SaveProblems: Sendable {
  private let reported = Lock<Set<String>>([])
  private let report: @Sendable (String) -> Void
  /// The maximum number of lines; an app may make the same mistake with thousands of objects.
  private static let maximumCount = 100

  init(report: @escaping @Sendable (String) -> Void) {
    self.report = report
  }

  /// Reports the problems in a report on preserving.
  ///
  /// The budget is checked on another thread, because that assembles the archive.
  func note(_ report: PreservationReport, of archive: ArchiveName) {
    for note in report.notes where note.kind.isProblem { add("\(archive): \(note)") }
    guard report.budget != nil else { return }
    Task.detached(priority: .utility) { [self] in
      for excess in report.excesses { add("\(archive) is over its budget: \(excess)", ignoring: excess.split(separator: ":").last ?? "") }
    }
  }

  /// Reports a line, unless it was reported before; the end to ignore, such as a size, differs from save to save.
  private func add(_ line: String, ignoring end: Substring = "") {
    let problem = String(line.dropLast(end.count))
    let isNew = reported.withLock { $0.count < Self.maximumCount && $0.insert(problem).inserted }
    if isNew { report(line) }
  }
}

extension PreservationReport.NoteKind {
  /// Whether the app should be told of the note: something was not saved that it expects to be saved.
  fileprivate var isProblem: Bool {
    switch self {
    case .keptPrevious, .failed, .superseded, .duplicate, .twice, .unusableIdentifier, .withoutChildren, .withoutProperties,
      .repeatedKey, .tooDeep, .reference, .lost, .expired:
      true
    case .withoutIdentifier, .notSaved, .carriedOver, .discarded, .quarantineEnded, .unknownKeys: false
    }
  }
}
