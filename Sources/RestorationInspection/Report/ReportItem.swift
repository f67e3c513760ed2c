import ArchiveFormat
import RestorationArchive

/// The data that a report's page has about one of its archives, besides the copy of the archive.
struct ReportItem {
  /// What a whole page lists of findings, losses and changes; the others are counted.
  ///
  /// A hostile file of a few kilobytes can have a thousand faults, each with a path of a quarter of a megabyte. Texts
  /// are therefore cut, and their bytes are counted; in JSON they take twice as many at most.
  struct Limits {
    /// The number of findings, and of damaged parts.
    static let count = 1000
    /// The longest text, in Unicode scalars.
    static let length = 1000
    /// The bytes left for findings.
    var findings = 1 << 17
    /// The bytes left for changes.
    var changes = 1 << 18
  }

  /// The lines of a difference that concern one node, or the archive as a whole.
  struct Change {
    let lines: [String]
    /// The path of the node in this archive; nil if it has none there, or a long one.
    var path: RestorationPath?
  }

  private let item: ArchiveReport.Item
  private let isOldest: Bool
  private let byteCount: Int
  private let archive: InspectedArchive?
  private let error: ArchiveError?
  private let check: ArchiveCheck?
  /// The copy for the page; nil if no part of the archive can be read.
  let copy: PageArchive?
  private var comparedName: String?
  private var summary = ""
  private var changes: [Change] = []
  private var changeCount = 0

  init(_ item: ArchiveReport.Item, _ contents: Result<[UInt8], ArchiveError>, isOldest: Bool, _ sensitive: SensitiveValues) {
    self.item = item
    self.isOldest = isOldest
    byteCount = (try? contents.get().count) ?? 0
    do throws(ArchiveError) {
      let bytes = try contents.get()
      let opened = try InspectedArchive(bytes)
      (archive, error) = (opened, nil)
      check = ArchiveCheck(bytes)
      copy = PageArchive(opened, in: bytes, sensitive: sensitive)
    } catch {
      self.error = error
      (archive, check, copy) = (nil, nil, nil)
    }
  }

  /// Whether the archive can be read and is intact.
  var isSound: Bool { check?.isValid ?? false }

  /// Adds the difference from an older archive.
  mutating func compare(with bytes: [UInt8], named name: String, _ limits: inout Limits, _ sensitive: SensitiveValues) {
    guard let archive, let older = try? InspectedArchive(bytes) else { return }
    var options = ArchiveDifference.Options()
    options.sensitive = sensitive
    let difference = ArchiveDifference(from: older, to: archive, options: options)
    (comparedName, summary) = (name, difference.counts.text)
    difference.visitChanges { change in
      changeCount += 1
      guard limits.changes > 0 else { return }
      var found = Change(lines: change.lines().prefix(50).map { $0.cut(to: Limits.length) }, path: change.path)
      let pathLength = found.path?.components.reduce(0) { $0 + $1.utf8.count } ?? 0
      // Of a longer path the lines show the beginning; the page cannot lead to its node.
      if pathLength > Limits.length { found.path = nil }
      limits.changes -= found.lines.reduce(64) { $0 + $1.utf8.count } + 3 * min(pathLength, Limits.length)
      changes.append(found)
    }
  }

  // MARK: JSON

  /// The description as JSON.
  func json(_ limits: inout Limits) -> String {
    var writer = JSONTextWriter()
    writer.object { writer in
      writer.member("byteCount") { $0.raw("\(byteCount)") }
      writer.member("condition") { $0.string(item.condition.cut(to: Limits.length)) }
      if let archive {
        writer.member("contentDigest") { $0.string("\(archive.reader.contentDigest)") }
        writer.member("declaredNodeCount") { $0.raw("\(archive.reader.nodeCount)") }
      }
      if let comparedName {
        writer.member("difference") { writer in
          writer.object { writer in
            writer.member("changeCount") { $0.raw("\(changeCount)") }
            writer.member("changes") { $0.array(changes) { Self.write($1, &$0) } }
            writer.member("from") { $0.string(comparedName) }
            writer.member("summary") { $0.string(summary) }
          }
        }
      }
      if let error { writer.member("error") { $0.string("\(error)") } }
      if let check { findings(check, &writer, &limits) }
      if let archive { writer.member("formatVersion") { $0.string("\(archive.reader.formatVersion)") } }
      writer.member("group") { $0.string(item.group) }
      writer.member("isOldest") { $0.raw("\(isOldest)") }
      if let check { losses(check, &writer) }
      writer.member("name") { $0.string(item.name) }
      if let archive { overhead(archive.reader, &writer) }
      if let copy { parts(copy, &writer) }
    }
    return writer.takeText()
  }

  private func parts(_ copy: PageArchive, _ writer: inout JSONTextWriter) {
    writer.member("parts") { writer in
      writer.object { writer in
        writer.member("metadata") { $0.raw("\(copy.metadataLength)") }
        writer.member("nodes") { $0.raw("\(copy.nodes.count)") }
        writer.member("states") { $0.raw("\(copy.states.count)") }
        writer.member("strings") { $0.raw("\(copy.strings.count)") }
      }
    }
  }

  /// Writes the bytes that belong to no node, by the names that ``ArchiveSizes`` gives them.
  ///
  /// The page adds the findings of the records: shared identifiers and unreadable bytes.
  private func overhead(_ archive: ArchiveReader, _ writer: inout JSONTextWriter) {
    writer.member("overhead") { writer in
      writer.array(OverheadSizes(archive.records).parts) { writer, part in
        writer.object { writer in
          writer.member("byteCount") { $0.raw("\(part.byteCount)") }
          writer.member("name") { $0.string(part.name) }
        }
      }
    }
  }

  private func findings(_ check: ArchiveCheck, _ writer: inout JSONTextWriter, _ limits: inout Limits) {
    writer.member("findingCount") { $0.raw("\(check.findings.count)") }
    writer.member("findings") { writer in
      writer.array { writer in
        for place in check.findings.indices.prefix(Limits.count) where limits.findings > 0 {
          let finding = check.findings[place]
          let text = "\(finding)".cut(to: Limits.length)
          // The path counts in full: it is written in full before the text is cut.
          limits.findings -= text.utf8.count + (finding.path?.components.reduce(64) { $0 + $1.utf8.count } ?? 64)
          writer.element { writer in
            writer.object { writer in
              if let node = check.node(ofFinding: place) { writer.member("node") { $0.raw("\(node)") } }
              writer.member("text") { $0.string(text) }
            }
          }
        }
      }
    }
  }

  /// Writes the damaged parts of the file and what each costs; the tree of the page marks the nodes themselves.
  private func losses(_ check: ArchiveCheck, _ writer: inout JSONTextWriter) {
    writer.member("lossCount") { $0.raw("\(check.losses.count)") }
    writer.member("losses") { $0.array(check.losses.prefix(Limits.count)) { $0.string(Self.text(of: $1)) } }
  }

  private static func text(of loss: ArchiveLoss) -> String {
    let counted = ArchiveOverview.counted
    let parts = [(loss.nodes.count, "node"), (loss.states.count, "state"), (loss.unreachableCount, "intact but unreachable node")]
    let costs = parts.filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    let place = "0x\(String(loss.range.lowerBound, radix: 16)) to 0x\(String(loss.range.upperBound, radix: 16))"
    return "damaged from \(place): \(costs.isEmpty ? "no node and no state is lost" : costs.joined(separator: ", ") + " lost")"
  }

  private static func write(_ change: Change, _ writer: inout JSONTextWriter) {
    writer.object { writer in
      writer.member("lines") { $0.array(change.lines) { $0.string($1) } }
      if let path = change.path { writer.member("path") { $0.array(path.components) { $0.string($1) } } }
    }
  }
}

extension String {
  /// Returns the text, or its first Unicode scalars if it has more than `count` of them.
  func cut(to count: Int) -> String {
    let end = unicodeScalars.index(unicodeScalars.startIndex, offsetBy: count, limitedBy: unicodeScalars.endIndex)
    guard let end, end < unicodeScalars.endIndex else { return self }
    return String(unicodeScalars[..<end]) + "…"
  }
}

extension ArchiveChange {
  /// The path of the node in the newer archive, if it has it.
  fileprivate var path: RestorationPath? {
    switch self {
    case .node(let change): change.kind == .removed ? nil : change.path
    case .brokenReference(let broken): broken.path
    default: nil
    }
  }
}
