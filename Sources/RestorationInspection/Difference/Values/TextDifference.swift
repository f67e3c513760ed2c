import ArchiveFormat
import RestorationArchive

/// The lines that show people how two texts differ.
///
/// Of texts with several lines, the lines that differ; of a long line, the part that differs with a few characters around
/// it. All lines are safe to print.
struct TextDifference {
  /// The lines, which begin with `- ` or `+ `, or with two spaces for context.
  private(set) var lines: [String] = []

  /// The most lines that are shown, and the most characters of each.
  private static let lineLimit = 20
  private static let characterLimit = 120
  private static let context = 24

  /// Returns whether two texts are short enough to be shown side by side.
  static func areShort(_ old: String, _ new: String) -> Bool {
    old.utf8.count + new.utf8.count <= 80 && !old.utf8.contains(0x0A) && !new.utf8.contains(0x0A)
  }

  /// Compares two texts.
  init(_ old: String, _ new: String) {
    if old.utf8.contains(0x0A) || new.utf8.contains(0x0A) {
      compareLines(Self.lines(of: old), Self.lines(of: new))
    } else {
      compareCharacters(Array(old.unicodeScalars), Array(new.unicodeScalars))
    }
  }

  private static func lines(of text: String) -> [String] {
    text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  private mutating func compareLines(_ old: [String], _ new: [String]) {
    var all: [(mark: String, text: [Unicode.Scalar])] = []
    for run in SequenceAlignment(old, new, by: { $0.isIdenticalText(to: $1) }).runs {
      guard case .replaced(let before, let after) = run else { continue }
      if before.count == 1, after.count == 1 {
        // One line for another: only what differs in it.
        let pair = TextDifference(old[before.lowerBound], new[after.lowerBound])
        all += pair.lines.map { (String($0.prefix(2)), Array($0.dropFirst(2).unicodeScalars)) }
        continue
      }
      all += before.map { ("- ", Self.quoted(old[$0])) } + after.map { ("+ ", Self.quoted(new[$0])) }
    }
    lines = all.prefix(Self.lineLimit).map { $0.mark + String($0.text) }
    if all.count > Self.lineLimit { lines.append("  … \(ArchiveOverview.counted(all.count - Self.lineLimit, "more line"))") }
  }

  private static func quoted(_ line: String) -> [Unicode.Scalar] {
    let scalars = Array(line.unicodeScalars)
    return Array(shown(scalars, scalars.startIndex..<scalars.endIndex).unicodeScalars)
  }

  private mutating func compareCharacters(_ old: [Unicode.Scalar], _ new: [Unicode.Scalar]) {
    let part = Splice(old, new, by: ==)
    let first = max(0, part.start - Self.context)
    lines = [
      "- " + Self.shown(old, first..<min(old.count, part.old.upperBound + Self.context)),
      "+ " + Self.shown(new, first..<min(new.count, part.new.upperBound + Self.context)),
    ]
  }

  /// Returns part of a text in quotes, with ellipses for the parts left out.
  private static func shown(_ scalars: [Unicode.Scalar], _ range: Range<Int>) -> String {
    var middle = String(scalars[range]).escapedForDisplay
    if range.count > characterLimit {
      let half = characterLimit / 2
      middle = String(scalars[range.prefix(half)]).escapedForDisplay + " … " + String(scalars[range.suffix(half)]).escapedForDisplay
    }
    return (range.lowerBound > 0 ? "…" : "") + "\"" + middle + "\"" + (range.upperBound < scalars.count ? "…" : "")
  }
}

extension String {
  /// Creates a text of scalars.
  fileprivate init(_ scalars: some Sequence<Unicode.Scalar>) {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    self.init(view)
  }
}
