import FoundationValues
import RestorationArchive
import RestorationInspection
import StateRestoration
import Terminal

/// What is shown of an archive and how keys change it.
///
/// The position (selection, folding, scrolling, search) is restorable state.
@MainActor
final class ArchiveBrowser: @MainActor Restorable {
  /// A line of the selected node's contents; a reference leads to its target.
  struct Line {
    let text: String
    var target: RestorationPath?
    var isAlarming = false
  }

  /// The part that has the focus.
  enum Part { case tree, contents }

  let restorationIdentifier: String? = "browser"
  @Restored private var selectedPath = ""
  @Restored private var unfoldedPaths: [String] = []
  @Restored private(set) var top = 0
  @Restored private(set) var line = 0
  @Restored private var query = ""
  @Restored private var isInContents = false

  let name: String
  let openingErrors: [ArchiveError]
  private(set) var tree: BrowserTree
  /// The place of the selected row.
  private(set) var selected = 0
  private(set) var lines: [Line] = []
  /// The first line of the contents on the screen.
  private(set) var topLine = 0
  /// The text that is typed at the prompt, after its first character; nil without a prompt.
  private(set) var prompt: String?
  /// The character that the prompt begins with: `/` for a search, `:` for a jump.
  private var promptSign = "/"
  /// Whether the last key was the first of `gg`.
  private var isAfterG = false
  private(set) var message = ""
  private(set) var showsHelp = false
  /// The paths that jumps came from.
  private var trail: [RestorationPath] = []
  /// The result of the check, in words.
  var verdict = "checking …"
  private var check: ArchiveCheck?
  /// The last finding of each node that has one, by record.
  private var findings: [Int32: Int] = [:]
  private var rememberedFolding = -1
  private let sensitive: SensitiveValues
  /// The rows of the screen between title and status line, from the last drawing.
  var height = 20
  /// The first column of the contents, and the line on each row of the screen, from the last drawing.
  var contentsColumn = Int.max
  var linesOnScreen: [Int] = []

  /// The longest contents that are shown.
  static let maximumLines = 20_000
  private static let maximumUnfoldedPaths = 1000
  private static let maximumFindings = 100_000

  init(_ archive: ArchiveReader, name: String, sensitive: SensitiveValues) {
    self.name = name
    openingErrors = archive.openingErrors
    tree = BrowserTree(archive)
    self.sensitive = sensitive
    showContents()
  }

  var part: Part { isInContents ? .contents : .tree }
  var row: BrowserTree.Row { tree.rows[selected] }

  /// Returns to the restored position, as far as the archive still has its nodes.
  func resume() {
    let (wantedTop, wantedLine) = (top, line)
    for path in unfoldedPaths.compactMap({ try? RestorationPath(parsing: $0) }) {
      let place = tree.reveal(path)
      if tree.path(tree.rows[place].node) == path { tree.unfold(place) }
    }
    if let path = try? RestorationPath(parsing: selectedPath) { selected = tree.reveal(path) }
    showContents()
    // A file may have any number.
    (top, line) = (wantedTop, max(min(wantedLine, lines.count - 1), 0))
    keepInSight()
  }

  /// Marks the nodes with findings.
  func show(_ check: ArchiveCheck) {
    self.check = check
    for place in check.findings.indices.prefix(Self.maximumFindings) {
      if let node = check.node(ofFinding: place) { findings[Int32(truncatingIfNeeded: node)] = place }
    }
    tree.findings = Set(findings.keys)
    verdict = check.isValid ? "intact" : ArchiveOverview.counted(check.findings.count, "finding")
    let keptLine = line
    showContents()
    line = min(keptLine, max(lines.count - 1, 0))
  }

  // MARK: Keys

  /// Handles a key; returns whether to continue, and text for the terminal.
  func handle(_ key: Key) -> (continues: Bool, text: String) {
    message = ""
    if showsHelp {
      showsHelp = false
      return (true, "")
    }
    if prompt != nil {
      edit(key)
      return (true, "")
    }
    switch key {
    case .character("q"), .character("Q"): return (false, "")
    case .character("y"), .character("c"): return (true, copyPath())
    case .character("g") where !isAfterG: isAfterG = true
    default:
      move(key)
      isAfterG = false
    }
    keepInSight()
    remember()
    return (true, "")
  }

  private func move(_ key: Key) {
    switch key {
    case .character("j"), .character("e"), .down, .control("n"), .control("e"): step(1)
    case .character("k"), .up, .control("p"), .control("y"): step(-1)
    case .character("f"), .character(" "), .pageDown, .control("f"), .control("v"): step(height)
    case .character("b"), .pageUp, .control("b"): step(-height)
    case .character("d"), .control("d"): step(height / 2)
    case .character("u"), .control("u"): step(-height / 2)
    case .character("g"), .character("<"), .home: step(-Int(Int32.max))
    case .character("G"), .character(">"), .end: step(Int(Int32.max))
    case .tab: isInContents.toggle()
    case .right, .character("l"): if part == .tree { unfold() }
    case .left, .character("h"): if part == .tree { fold() } else { isInContents = false }
    case .enter: if part == .tree { tree.isUnfolded(row) ? fold() : unfold() } else { follow() }
    case .character("*"): tree.unfoldAll(selected)
    case .backspace: goBack()
    case .character("/"), .character(":"): (prompt, promptSign) = ("", key == .character("/") ? "/" : ":")
    case .character("n"): search(backward: false)
    case .character("N"): search(backward: true)
    case .character("]"): findFault(backward: false)
    case .character("["): findFault(backward: true)
    case .character("?"), .character("H"): showsHelp = true
    case .click(let row, let column): click(row, column)
    case .wheel(let lines, _, let column):
      isInContents = column >= contentsColumn
      step(lines)
    default: break
    }
  }

  /// Selects the row or line on a row of the screen; a row that is selected already is folded or unfolded.
  private func click(_ row: Int, _ column: Int) {
    guard (1...height).contains(row) else { return }
    isInContents = column >= contentsColumn
    if isInContents {
      if linesOnScreen.indices.contains(row - 1) { line = linesOnScreen[row - 1] }
    } else if tree.rows.indices.contains(top + row - 1) {
      let place = top + row - 1
      if place != selected { select(place) } else if tree.isUnfolded(self.row) { tree.fold(place) } else { tree.unfold(place) }
    }
  }

  private func step(_ count: Int) {
    if part == .tree {
      select(min(max(selected + count, 0), tree.rows.count - 1))
    } else {
      line = min(max(line + count, 0), max(lines.count - 1, 0))
    }
  }

  private func select(_ place: Int) {
    guard place != selected else { return }
    selected = place
    (line, topLine) = (0, 0)
    showContents()
  }

  private func unfold() {
    if tree.isUnfolded(row) { step(1) } else { tree.unfold(selected) }
  }

  private func fold() {
    if tree.isUnfolded(row), tree.hasChildren(row) { return tree.fold(selected) }
    let depth = row.depth
    if let parent = tree.rows[..<selected].lastIndex(where: { $0.depth < depth }) { select(parent) }
  }

  // MARK: Jumps

  private func go(to path: RestorationPath) {
    if let here = tree.path(row.node) { trail.append(here) }
    if trail.count > 1000 { trail.removeFirst() }
    select(tree.reveal(path))
  }

  private func follow() {
    guard lines.indices.contains(line), let target = lines[line].target else { return tell("this line is not a reference") }
    guard (try? tree.archive.node(at: target)) != nil else { return tell("there is no node at \(target.description.escapedForDisplay)") }
    go(to: target)
  }

  private func goBack() {
    guard let path = trail.popLast() else { return tell("no jump to go back from") }
    select(tree.reveal(path))
  }

  /// Goes to a row by its number, or to a path.
  private func jump(to text: String) {
    if let number = Int(text) {
      isInContents = false
      return select(min(max(number - 1, 0), tree.rows.count - 1))
    }
    guard let path = try? tree.archive.path(printedAs: text), let node = try? tree.archive.node(at: path) else {
      return tell("there is no node at \(text.escapedForDisplay)")
    }
    isInContents = false
    go(to: node.path)
  }

  private func findFault(backward: Bool) {
    guard let path = tree.search(from: row, backward: backward, { $0.isFaulty($1) }) else { return tell("no node has a finding") }
    go(to: path)
  }

  /// Returns the sequence (OSC 52) that puts the path into the clipboard, also through ssh.
  private func copyPath() -> String {
    guard let path = tree.path(row.node) else {
      message = "this path is not known"
      return ""
    }
    message = "copied: \(path.isEmpty ? "the empty path" : path.description.escapedForDisplay)"
    return "\u{1B}]52;c;\(Data(path.description.utf8).base64EncodedString())\u{07}"
  }

  // MARK: Searching

  private func edit(_ key: Key) {
    switch key {
    case .character(let character): prompt?.append(character)
    case .paste(let text): prompt? += text.prefix(1000).filter { !$0.isNewline }
    case .backspace where prompt?.isEmpty == false: prompt?.removeLast()
    case .enter:
      let text = prompt ?? ""
      prompt = nil
      if promptSign == ":" {
        if !text.isEmpty { jump(to: text) }
      } else {
        if !text.isEmpty { query = text }
        search(backward: false)
      }
      keepInSight()
      remember()
    case .escape, .backspace, .control("g"): prompt = nil
    case .control("u"): prompt = ""
    default: break
    }
  }

  var promptText: String? { prompt.map { promptSign + $0 } }

  /// Finds the next name, type or line of the contents that the query matches, as in `restoration search -i`.
  private func search(backward: Bool) {
    guard !query.isEmpty else { return tell("nothing to search for") }
    let pattern: TextPattern
    do throws(TextPattern.SyntaxError) {
      pattern = try TextPattern(query, ignoringCase: true)
    } catch {
      message = "\(query.escapedForDisplay): \(error)"
      return
    }
    if part == .contents {
      let places = backward ? Array((0..<max(line, 0)).reversed()) : Array(lines.indices.dropFirst(line + 1))
      guard let found = places.first(where: { pattern.matches(lines[$0].text) }) else { return notFound(query) }
      line = found
      return
    }
    let values = ValueText(sensitive: sensitive, in: tree.archive)
    let path = tree.search(from: row, backward: backward) { tree, row in
      if tree.identifier(row).map(pattern.matches) == true || pattern.matches(tree.typeText(row)) { return true }
      guard let listing = tree.node(row).flatMap({ try? NodeListing($0) }) else { return false }
      var isFound = false
      listing.visitLines(values) { line, _ in if !isFound, pattern.matches(line) { isFound = true } }
      return isFound
    }
    guard let path else { return notFound(query) }
    go(to: path)
    // The name is in the tree; a value is shown by its line.
    if tree.identifier(row).map(pattern.matches) != true, let found = lines.firstIndex(where: { pattern.matches($0.text) }) { line = found }
  }

  private func notFound(_ query: String) { tell("not found: \(query.escapedForDisplay)") }

  private func tell(_ text: String) { message = text }

  // MARK: Contents

  private func showContents() {
    lines = []
    let row = row
    if let error = row.error {
      lines = [Line(text: "(lost: \(error.rawValue))", isAlarming: true)]
      return
    }
    guard let node = tree.node(row) else { return }
    if let type = node.type { lines.append(Line(text: "type: \(type.escapedForDisplay) \(node.schemaVersion)")) }
    if let origin = node.origin { lines.append(Line(text: "origin: \(origin)")) }
    if node.childCount > 0 { lines.append(Line(text: "children: \(node.childCount)")) }
    lines.append(Line(text: "state: \(node.stateByteCount) bytes"))
    if let check, let place = findings[row.node] { lines.append(Line(text: "\(check.findings[place])", isAlarming: true)) }
    lines.append(Line(text: ""))
    do throws(ArchiveError) {
      let listing = try NodeListing(node)
      var rest = 0
      listing.visitLines(ValueText(sensitive: sensitive, in: tree.archive)) { text, target in
        if lines.count < Self.maximumLines { lines.append(Line(text: text, target: target)) } else { rest += 1 }
      }
      if listing.isEmpty { lines.append(Line(text: "(no state)")) }
      if rest > 0 { lines.append(Line(text: "… and \(rest) more lines; `restoration get` shows them")) }
    } catch {
      lines.append(Line(text: "(state lost: \(error.code.rawValue))", isAlarming: true))
      lines.append(Line(text: "\(error)", isAlarming: true))
    }
  }

  // MARK: Position

  /// Scrolls so that the selected row and line are on the screen.
  func keepInSight() {
    top = min(max(top, selected - height + 1), selected, max(tree.rows.count - height, 0))
    top = max(top, 0)
    if line < topLine { topLine = line }
    topLine = max(topLine, line - height + 1, 0)
  }

  private func remember() {
    let path = tree.path(row.node)?.description ?? selectedPath
    if path != selectedPath { selectedPath = path }
    guard tree.foldingCount != rememberedFolding else { return }
    rememberedFolding = tree.foldingCount
    unfoldedPaths = tree.unfolded.sorted().prefix(Self.maximumUnfoldedPaths).compactMap { tree.path($0)?.description }
  }
}
