import ArchiveFormat
import FoundationValues
import RestorationArchive

extension ArchiveDifference {
  /// Writes the changes for people, and the totals.
  ///
  ///     ~ root/list  List
  ///         ~ row: 7 → 12
  ///     + root/editor  Editor 3  (2 nodes, 120 bytes of state)
  ///     > root/archive/draft  (from root/list/draft)
  ///     1 node changed, 2 added, 1 moved
  public func write(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    var writer = DifferenceText(output: output, style: style)
    visitChanges { writer.write($0) }
    output = writer.output
    output.write("\(style.bold(counts.text))\n")
  }

  /// Writes the numbers of differences, and a line for each type of node that occurs more or less often.
  package func writeStatistics(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    output.write("\(style.bold(counts.text))\n")
    if isEmpty { return }
    if counts.unreadable > 0 { output.write("only readable nodes are counted:\n") }
    let (left, right) = (statistics(isOld: true), statistics(isOld: false))
    output.write("nodes: \(left.nodes) → \(right.nodes)\nbytes of state: \(left.bytes) → \(right.bytes)\n")
    if options.path.isEmpty { output.write("bytes of file: \(old.archive.byteCount) → \(new.archive.byteCount)\n") }
    for (type, before, after) in Self.changedTypes(left, right) {
      let text = "\(type): \(ArchiveOverview.counted(before, "node")) → \(after)"
      output.write((before < after ? style.added(text) : style.removed(text)) + "\n")
    }
  }

  typealias Statistics = (nodes: Int, bytes: Int, types: [TextKey: Int])

  /// Returns the types that occur more or less often.
  static func changedTypes(_ left: Statistics, _ right: Statistics) -> [(type: String, before: Int, after: Int)] {
    let types = Set(left.types.keys).union(right.types.keys).sorted { $0.text.precedesAsText($1.text) }
    return types.map { ($0.text, left.types[$0] ?? 0, right.types[$0] ?? 0) }.filter { $1 != $2 }
  }

  /// Returns the numbers of compared nodes of one of the archives, of bytes of their state, and of nodes of each type.
  func statistics(isOld: Bool) -> Statistics {
    let tree = isOld ? old : new
    var numbers = [Int](repeating: 0, count: Int(UInt16.max) + 1)
    var (nodes, bytes) = (0, 0)
    for index in tree.parents.indices where isInScope(index, isOld: isOld) {
      guard let record = tree.record(of: index) else { continue }
      bytes += Int(record.stateLength)
      if index == 0 { continue }
      nodes += 1
      numbers[Int(record.type)] += 1
    }
    var types: [TextKey: Int] = [:]
    for (place, type) in tree.archive.records.metadata.allTypes.enumerated() where numbers[place + 1] > 0 {
      types[TextKey(type.text.escapedForDisplay), default: 0] += numbers[place + 1]
    }
    if numbers[0] > 0 { types[TextKey("(no type)"), default: 0] += numbers[0] }
    return (nodes, bytes, types)
  }
}

private struct DifferenceText<Output: TextOutputStream> {
  fileprivate(set) var output: Output
  fileprivate let style: TextStyle
  /// The last error: one damaged block has an error for each node in it, and is described once.
  fileprivate var lastError: ArchiveError?

  /// The most values of an added or removed node that are shown.
  private static var valueLimit: Int { 8 }

  mutating func write(_ change: ArchiveChange) {
    switch change {
    case .formatVersion(let old, let new): write("\(style.changed("~")) format version: \(old) → \(new)")
    case .header(let change): for line in change.lines(style: style) { write("\(style.dim("header")) \(line)") }
    case .section(let change): write("\(style.changed("~")) \(Self.text(of: change))")
    case .node(let change): write(change)
    case .brokenReference(let broken): write("\(style.alarming("!")) \(broken)")
    }
  }

  private mutating func write(_ line: String) { output.write(line + "\n") }

  private static func text(of change: SectionChange) -> String {
    func bytes(_ count: Int) -> String { ArchiveOverview.counted(count, "byte") }
    let section = "section \(change.code)"
    switch (change.oldByteCount, change.newByteCount) {
    case (let old?, let new?):
      if let error = change.error { return "\(section): not comparable: \(error)" }
      return old == new ? "\(section): changed, still \(bytes(old))" : "\(section): \(old) → \(bytes(new))"
    case (nil, let new?): return "\(section): added, \(bytes(new))"
    case (let old, nil): return "\(section): removed, \(bytes(old ?? 0))"
    }
  }

  private mutating func write(_ change: NodeDifference) {
    let isSingle = change.kind == .added || change.kind == .removed
    let origin = isSingle ? nil : Self.originText(of: change)
    write(headline(of: change) + (origin.map { style.dim("  (\($0))") } ?? ""))
    for value in isSingle ? change.changes.prefix(Self.valueLimit) : change.changes[...] where origin == nil || value.part != .origin {
      for line in value.lines(style: style) { write("    \(line)") }
    }
    let rest = change.changes.count - Self.valueLimit
    if isSingle, rest > 0 { write("    " + style.dim("… \(ArchiveOverview.counted(rest, "more value"))")) }
    for moved in change.order {
      write("    \(style.changed("~")) child \(moved.identifier.escapedForDisplay): place \(moved.oldPlace) → \(moved.newPlace)")
    }
    guard let error = change.error, lastError?.isOfSameDamage(as: error) != true else { return }
    lastError = error
    write("    \(style.alarming("?")) \(error)")
  }

  /// Returns what an origin that is new or gone means: the app has not saved the node itself, or does so again.
  private static func originText(of change: NodeDifference) -> String? {
    let changes = change.changes.filter { $0.part == .origin }
    guard let kind = changes.first?.kind, [.added, .removed].contains(kind), changes.allSatisfy({ $0.kind == kind }) else { return nil }
    let version = changes.first { $0.place == [.key("bundleVersion")] }.flatMap { $0.new ?? $0.old }
    let save = if case .string(let version)? = version { "build \(version.escapedForDisplay)" } else { "an earlier save" }
    return "\(kind == .added ? "" : "no longer ")carried over from \(save)"
  }

  private func headline(of change: NodeDifference) -> String {
    let type = change.type.map { "  \($0)" } ?? ""
    let path = style.bold(change.path.displayText)
    switch change.kind {
    case .added: return "\(style.added("+")) \(path)\(type)\(Self.sizes(of: change, style))"
    case .removed: return "\(style.removed("-")) \(path)\(type)\(Self.sizes(of: change, style))"
    case .changed: return "\(style.changed("~")) \(path)\(type)"
    case .moved, .renamed:
      let verb = change.kind == .moved ? "moved" : "renamed"
      return "\(style.changed(">")) \(path)\(type)  (\(verb) from \((change.oldPath ?? .application).displayText))"
    case .unreadable: return "\(style.alarming("?")) \(path)\(type)  (not comparable)"
    }
  }

  private static func sizes(of change: NodeDifference, _ style: TextStyle) -> String {
    let bytes = "\(ArchiveOverview.counted(change.byteCount, "byte")) of state"
    return style.dim("  (\(change.nodeCount == 1 ? "" : "\(change.nodeCount) nodes, ")\(bytes))")
  }
}

extension ValueChange {
  /// Returns the change as lines for people: place and values on one line, or below the place what differs in them.
  public func lines(style: TextStyle = .plain) -> [String] {
    let mark = kind == .added ? style.added("+ ") : kind == .removed ? style.removed("- ") : style.changed("~ ")
    let label = "\(mark)\(style.bold(placeText))"
    switch kind {
    case .marked: return ["\(label): now marked as sensitive"]
    case .unmarked: return ["\(label): no longer marked as sensitive"]
    case .added, .removed:
      guard let value = new ?? old else { return ["\(label): \(style.dim("sensitive"))"] }
      return Self.lines(of: value, label, style)
    case .changed:
      guard let old, let new else { return ["\(label): \(style.dim("changed, sensitive"))"] }
      return Self.lines(from: old, to: new, label, style)
    }
  }

  /// The most lines that show an added or removed value.
  private static let lineLimit = 12

  private static func lines(of value: ArchiveValue, _ label: String, _ style: TextStyle) -> [String] {
    var lines: [String] = []
    var count = 0
    // What is not to be seen was replaced when the change was found.
    ValueText(sensitive: .reveal, style: style).visitLines(of: ["": value]) { line, _ in
      count += 1
      // The first line names the empty key.
      if count == 1 {
        lines.append(label + String(line.drop { $0 != ":" }))
      } else if count <= lineLimit {
        lines.append("  " + line)
      }
    }
    if count > lineLimit { lines.append("    " + style.dim("… \(ArchiveOverview.counted(count - lineLimit, "more line"))")) }
    return lines
  }

  private static func lines(from old: ArchiveValue, to new: ArchiveValue, _ label: String, _ style: TextStyle) -> [String] {
    switch (old, new) {
    case (.string(let old), .string(let new)) where !TextDifference.areShort(old, new):
      let sizes = "text, \(old.utf8.count) → \(ArchiveOverview.counted(new.utf8.count, "byte"))"
      return ["\(label): \(style.dim(sizes))"] + TextDifference(old, new).lines.map { "  " + styled($0, style) }
    case (.url(let old), .url(let new)) where !TextDifference.areShort(old, new):
      return ["\(label): \(style.dim("url"))"] + TextDifference(old, new).lines.map { "  " + styled($0, style) }
    case (.data(let old), .data(let new)): return dataLines(from: old, to: new, label, style)
    default:
      let isOtherType = old.typeName != new.typeName
      let (left, right) = (text(of: old, withType: isOtherType), text(of: new, withType: isOtherType))
      return ["\(label): \(style.removed(left)) → \(style.added(right))"]
    }
  }

  private static func styled(_ line: String, _ style: TextStyle) -> String {
    line.hasPrefix("- ") ? style.removed(line) : line.hasPrefix("+ ") ? style.added(line) : style.dim(line)
  }

  private static func text(of value: ArchiveValue, withType: Bool) -> String {
    switch value {
    case .array(let elements): return "array of \(elements.count)"
    case .dictionary(let entries): return "dictionary of \(entries.count)"
    case .data(let data): return "data of \(ArchiveOverview.counted(data.count, "byte"))"
    case .string(let text) where text.unicodeScalars.count > 80: return "\"\(String(text.prefix(77)).escapedForDisplay)…\""
    case .integer, .float:
      // 1 and 1.0 are different values.
      return withType ? "\(value.displayText) (\(value.typeName))" : value.displayText
    default: return value.displayText
    }
  }

  private static func dataLines(from old: Data, to new: Data, _ label: String, _ style: TextStyle) -> [String] {
    let (left, right) = ([UInt8](old), [UInt8](new))
    let splice = Splice(left, right, by: ==)
    let sizes = "data, \(left.count) → \(ArchiveOverview.counted(right.count, "byte")), differs from byte \(splice.start)"
    return [
      "\(label): \(style.dim(sizes))", "  " + style.removed("- \(text(of: left[splice.old]))"),
      "  " + style.added("+ \(text(of: right[splice.new]))"),
    ]
  }

  private static func text(of bytes: ArraySlice<UInt8>) -> String {
    bytes.isEmpty ? "(nothing)" : HexText.text(of: bytes.prefix(16)) + (bytes.count > 16 ? " … \(bytes.count) bytes" : "")
  }
}

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
    var all: [String] = []
    for (before, after) in SequenceAlignment(old, new, by: { $0.isIdenticalText(to: $1) }).replaced {
      if before.count == 1, after.count == 1 {
        // One line for another: only what differs in it.
        all += TextDifference(old[before.lowerBound], new[after.lowerBound]).lines
      } else {
        all += before.map { "- " + Self.quoted(old[$0]) } + after.map { "+ " + Self.quoted(new[$0]) }
      }
    }
    lines = Array(all.prefix(Self.lineLimit))
    if all.count > Self.lineLimit { lines.append("  … \(ArchiveOverview.counted(all.count - Self.lineLimit, "more line"))") }
  }

  private static func quoted(_ line: String) -> String {
    let scalars = Array(line.unicodeScalars)
    return shown(scalars, scalars.indices)
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
    func text(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])).escapedForDisplay }
    let half = characterLimit / 2
    let middle = range.count > characterLimit ? text(range.prefix(half)) + " … " + text(range.suffix(half)) : text(range)
    return (range.lowerBound > 0 ? "…" : "") + "\"" + middle + "\"" + (range.upperBound < scalars.count ? "…" : "")
  }
}
