import ArchiveFormat
import KeyedArchive
package import RestorationArchive
package import StateRestoration

/// A search for values, keys and identifiers, in the order of the tree.
///
/// Sensitive values are not matched unless they are revealed.
package struct ArchiveSearch {
  package struct Options: Sendable {
    package var pattern: TextPattern
    /// The key whose values are searched, with everything inside them; nil for all values, keys and identifiers.
    package var key: String?
    /// The node that is searched, with everything below it.
    package var path = RestorationPath.application
    package var sensitive = SensitiveValues.redact

    package init(pattern: TextPattern) { self.pattern = pattern }
  }

  package struct Hit {
    package enum Part: String { case identifier, key, value }

    package let part: Part
    package let node: NodeReader
    /// The keys and indexes that lead to the value; empty for an identifier.
    package let place: [ValueChange.Step]
    /// The value; nil for an identifier, and for a sensitive value that is not revealed.
    package let value: ArchiveValue?
    /// The scalars of the value's text that match.
    let range: Range<Int>?
  }

  private let archive: ArchiveReader
  private let options: Options
  /// The resources for the lists in data: those inside each other may share their data, so that a few bytes hold any number.
  private let context: ImportContext
  /// The archive of a store that is searched with others of it; nil for an archive alone.
  private let name: ArchiveName?
  /// Whether there is a node at the path of the options, which is known after the search.
  package private(set) var isThere = true
  /// The errors of parts that could not be searched; at most a hundred.
  package private(set) var errors: [ArchiveError] = []
  package private(set) var hitCount = 0
  /// The number of sensitive values that were not searched.
  package private(set) var maskedCount = 0
  private var place: [ValueChange.Step] = []
  private var visitedCount = 0

  /// The number of property lists inside each other that are searched.
  private static let maximumLists = 4

  package init(_ archive: ArchiveReader, _ options: Options, of name: ArchiveName? = nil) {
    self.archive = archive
    self.options = options
    self.name = name
    context = ImportContext(.standard, byteCount: archive.byteCount)
  }

  /// Calls `body` with each match.
  package mutating func visitHits(_ body: (Hit) -> Void) {
    let progress = WorkProgress.begin(archive.nodeCount)
    defer { progress?.end() }
    do throws(ArchiveError) {
      guard let node = try archive.node(at: options.path) else { return isThere = false }
      visit(node, body)
      node.visitDescendants { child, _ in
        switch child {
        case .success(let child):
          visitedCount += 1
          if visitedCount % 256 == 0 { progress?.advance(to: visitedCount) }
          visit(child, body)
        case .failure(let error): note(error)
        }
      }
    } catch {
      note(error)
    }
  }

  private mutating func visit(_ node: NodeReader, _ body: (Hit) -> Void) {
    if options.key == nil, let identifier = node.identifier, options.pattern.matches(identifier) {
      report(Hit(part: .identifier, node: node, place: [], value: nil, range: nil), body)
    }
    do throws(ArchiveError) {
      visit(try node.state(), of: node, isUnderKey: options.key == nil, lists: 0, body)
    } catch {
      note(error)
    }
  }

  private mutating func visit(
    _ entries: ArchiveDictionary, of node: NodeReader, isUnderKey: Bool, lists: Int, _ body: (Hit) -> Void
  ) {
    for entry in entries {
      place.append(.key(entry.key))
      defer { place.removeLast() }
      let isUnderKey = isUnderKey || options.key.map { $0.utf8.elementsEqual(entry.key.utf8) } ?? true
      let isMasked = options.sensitive.hides(entry.isSensitive)
      if isMasked, isUnderKey { maskedCount += 1 }
      let range = isMasked || !isUnderKey ? nil : Self.text(of: entry.value).flatMap { options.pattern.match(in: $0) }
      if range == nil, options.key == nil, options.pattern.matches(entry.key) {
        report(Hit(part: .key, node: node, place: place, value: isMasked ? .none : .some(entry.value), range: nil), body)
      }
      if !isMasked { visit(entry.value, range, of: node, isUnderKey: isUnderKey, lists: lists, body) }
    }
  }

  // The format's limit of 128 nesting levels bounds the recursion in each list.
  private mutating func visit(
    _ value: ArchiveValue, _ range: Range<Int>?, of node: NodeReader, isUnderKey: Bool, lists: Int, _ body: (Hit) -> Void
  ) {
    if let range { report(Hit(part: .value, node: node, place: place, value: value, range: range), body) }
    switch value {
    case .dictionary(let entries): visit(entries, of: node, isUnderKey: isUnderKey, lists: lists, body)
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        place.append(.index(index))
        let range = isUnderKey ? Self.text(of: element).flatMap { options.pattern.match(in: $0) } : nil
        visit(element, range, of: node, isUnderKey: isUnderKey, lists: lists, body)
        place.removeLast()
      }
    case .data(let data):
      guard lists < Self.maximumLists, let values = DataContent.values(in: data, context) else { return }
      visit(values, of: node, isUnderKey: isUnderKey, lists: lists + 1, body)
    default: break
    }
  }

  private mutating func report(_ hit: Hit, _ body: (Hit) -> Void) {
    hitCount += 1
    body(hit)
  }

  private mutating func note(_ error: ArchiveError) {
    if errors.count < 100, errors.last?.isOfSameDamage(as: error) != true { errors.append(error) }
  }

  /// Returns the text of a value that a pattern is compared with; nil for data and containers.
  static func text(of value: ArchiveValue) -> String? {
    switch value {
    case .string(let text), .url(let text): text
    case .reference(let path): path.description
    case .data, .array, .dictionary: nil
    default: value.displayText
    }
  }

  // MARK: Output

  /// Writes one line for each match: the path, the place of the value, and the value; all of them behind the address of the
  /// archive, if one is given.
  package mutating func write(to output: inout some TextOutputStream, of address: String? = nil, style: TextStyle = .plain) {
    let start = address.map { style.dim("\($0): ") } ?? ""
    visitHits { output.write("\(start)\($0.line(style))\n") }
  }

  /// Writes the matches of all searches that `body` hands over as JSON, and the archives that it returns as unreadable.
  ///
  /// Each is written at once, so that no two archives need to be open together.
  package static func writeJSON(
    to output: inout some TextOutputStream, _ body: (_ write: (inout ArchiveSearch) -> Void) -> [JSONMembers]
  ) {
    JSONTextWriter.inspection(to: &output) { writer in
      var (errors, unreadable): ([ArchiveError], [JSONMembers]) = ([], [])
      writer.member("matches") { writer in
        writer.array { writer in
          unreadable = body { search in
            let (name, sensitive) = (search.name, search.options.sensitive)
            search.visitHits { hit in writer.element { hit.write(to: &$0, of: name, sensitive) } }
            errors += search.errors
          }
        }
      }
      writer.members(["unreadable": errors.isEmpty ? nil : errors, "unreadableArchives": unreadable.isEmpty ? nil : unreadable])
    }
  }
}

extension ArchiveSearch.Hit {
  private static let (before, after) = (40, 120)

  func line(_ style: TextStyle) -> String {
    let path = style.bold(node.path.displayText)
    guard part != .identifier else { return path + (node.typeText.map { "  \($0)" } ?? "") }
    return "\(path) \(ValueChange.text(of: place)): \(valueText(style))"
  }

  /// The value on one line; of a long text, the part around the match.
  private func valueText(_ style: TextStyle) -> String {
    guard let value else { return style.dim("<sensitive>") }
    switch value {
    case .array(let elements): return style.dim("array of \(elements.count)")
    case .dictionary(let entries): return style.dim("dictionary of \(entries.count)")
    case .string(let text): return "\"\(excerpt(text, style))\""
    case .url(let text): return "<\(excerpt(text, style))>"
    default: return value.displayText
    }
  }

  private func excerpt(_ text: String, _ style: TextStyle) -> String {
    let scalars = text.unicodeScalars
    let match = range ?? 0..<0
    let (first, end) = (max(match.lowerBound - Self.before, 0), match.lowerBound + Self.after)
    func part(_ range: Range<Int>) -> String {
      String(String.UnicodeScalarView(scalars.dropFirst(range.lowerBound).prefix(range.count))).escapedForDisplay
    }
    let matchEnd = min(match.upperBound, end)
    let isCut = scalars.dropFirst(end).first != nil
    let middle = style.alarming(part(match.lowerBound..<matchEnd))
    return (first > 0 ? "…" : "") + part(first..<match.lowerBound) + middle + part(matchEnd..<end) + (isCut ? "…" : "")
  }

  fileprivate func write(to writer: inout JSONTextWriter, of name: ArchiveName?, _ sensitive: SensitiveValues) {
    writer.object { writer in
      writer.members([
        "archive": name.map { $0.scene ?? "" }, "part": part.rawValue, "path": node.path, "place": place, "type": node.type,
      ])
      if let value { writer.member("value") { $0.value(value, sensitive: sensitive) } }
    }
  }
}
