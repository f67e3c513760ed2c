import CorpusKit
import RestorationArchive

extension ExpectedFinding {
  /// A finding of the production checker, in the corpus notation.
  init(_ error: ArchiveError) {
    self.init(code: error.code.rawValue, offset: error.offset ?? -1, rule: error.rule, path: error.path?.description, key: error.key)
  }
}
