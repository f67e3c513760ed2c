import CorpusKit
import Foundation
import RestorationArchive
import SalvageKit
import Testing

/// The losses of each damaged file of the corpus, in `Corpus/salvage.tsv`.
///
/// `BLESS=1` rewrites the file; each row is also compared with a prediction that does not come from salvage.
@Suite struct SalvageCorpusTests {
  private static let path = "salvage.tsv"

  /// Returns the row of a file: its path, the outcome, and the losses.
  private static func row(_ file: CorpusFile) -> String {
    let salvage = ArchiveSalvage(file.bytes)
    guard let tree = salvage.tree else { return "\(file.path)\tnothing\t\n" }
    var words: [Word] = []
    for loss in salvage.losses {
      let word = word(loss, in: tree)
      if words.last?.join(word) != true { words.append(word) }
    }
    return "\(file.path)\tarchive\t\(words.map(\.text).joined(separator: " "))\n"
  }

  /// A loss, or several alike of consecutive records.
  private final class Word {
    private let kind: String
    private var records: Range<Int>?
    private let details: String?

    init(_ kind: String, _ records: Range<Int>?, _ details: String?) {
      self.kind = kind
      self.records = records
      self.details = details
    }

    /// Adds the records of the next loss, if it is alike.
    func join(_ next: Word) -> Bool {
      guard kind == next.kind, details == next.details, let first = records, let second = next.records else { return false }
      // A state record with several losses is one.
      if first == second { return true }
      guard first.upperBound == second.lowerBound, details == nil else { return false }
      records = first.lowerBound..<second.upperBound
      return true
    }

    var text: String {
      var text = kind
      if let records { text += ":\(records.lowerBound)" + (records.count == 1 ? "" : "-\(records.upperBound - 1)") }
      if let details { text += ":" + details }
      return text
    }
  }

  private static func word(_ loss: SalvageLoss, in tree: ArchiveTree) -> Word {
    switch loss.kind {
    case .volatileHeader: return Word("volatile-header", nil, nil)
    case .section: return Word("section", nil, loss.section)
    case .nodes, .identifier, .place: return Word(loss.kind.rawValue, loss.records, nil)
    case .state, .provider, .attribute, .attributes, .value, .values:
      var (attributes, state) = (ArchiveDictionary(), tree.applicationState)
      var siblings = tree.nodes
      for identifier in loss.path?.components ?? [] {
        guard let node = siblings.first(where: { $0.identifier == identifier }) else { break }
        (attributes, state, siblings) = (node.attributes, node.state, node.children)
      }
      let kept = (attributes.map(\.key) + state.map(\.key)).map { PercentText.encode($0) }
      return Word("state", loss.records, kept.isEmpty ? nil : kept.joined(separator: ","))
    }
  }

  @Test("the losses of each damaged file are those of salvage.tsv (R-13-7, R-7.6-3, R-7.6-5)")
  func listsLosses() throws {
    let rows = try Corpus.files(in: "damaged").map { Self.row($0) }.joined()
    if ProcessInfo.processInfo.environment["BLESS"] == "1" { try Corpus.write(Array(rows.utf8), to: Self.path) }
    #expect(String(decoding: try Corpus.bytes(of: Self.path), as: UTF8.self) == rows, "run the tests with BLESS=1")
  }

  @Test("everything that salvage.tsv does not list is kept unaltered (R-7.6-1, R-7.6-3)")
  func keepsTheRest() throws {
    for base in ["base", "base-of-two-levels", "base-with-spare-node"] {
      let oracle = try SalvageOracle(ArchiveTree(decoding: Data(Corpus.bytes(of: "damaged/\(base).hex"))))
      let files = try Corpus.files(in: "damaged") { $0.base == "\(base).hex" }
      // Files that are longer have been shifted, or have more bytes than the prediction knows.
      for file in files where file.bytes.count <= oracle.bytes.count {
        for problem in oracle.compare(ArchiveSalvage(file.bytes), of: file.bytes).problems { Issue.record("\(file.path): \(problem)") }
      }
    }
  }
}
