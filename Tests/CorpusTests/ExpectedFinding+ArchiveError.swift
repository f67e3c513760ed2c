import CorpusKit
import RestorationArchive

extension ExpectedFinding {
  /// What the real checker found, in the words of the corpus.
  init(_ error: ArchiveError) {
    self.init(code: error.code.rawValue, offset: error.offset ?? -1, rule: error.rule, path: error.path?.description, key: error.key)
  }
}
