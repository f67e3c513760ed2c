import ArchiveFormat
import KeyedArchive
import RestorationArchive

/// The data that a report's page has about one of its archives, besides the copy of the archive.
struct ReportItem {
  /// What a whole page lists of findings and losses; the others are counted.
  ///
  /// A hostile file of a few kilobytes can have a thousand faults, each with a path of a quarter of a megabyte. Texts
  /// are therefore cut, and their bytes are counted; in JSON they take twice as many at most.
  struct Limits {
    /// The number of findings, and of damaged parts.
    static let count = 1000
    /// The longest text, in Unicode scalars.
    static let length = 1000
    /// The bytes left for findings and notes.
    var findings = 1 << 17
  }

  private let item: ArchiveReport.Item
  private let byteCount: Int
  private let archive: ArchiveReader?
  private let error: ArchiveError?
  private let check: ArchiveCheck?
  private let sizes: ArchiveSizes?
  /// The nodes for the page; nil if no part of the archive can be read.
  let nodes: PageNodes?
  /// The number of keys of the page without those of this archive.
  private let keyCount: Int

  init(_ item: ArchiveReport.Item, _ sensitive: SensitiveValues, _ pool: inout PagePool) {
    self.item = item
    keyCount = pool.keys.count
    var byteCount = 0
    let progress = WorkProgress.begin(3)
    defer { progress?.end() }
    do throws(ArchiveError) {
      let bytes = item.isOmitted ? [] : try item.contents()
      byteCount = bytes.count
      // Each file grants its page 1.5 times its length.
      if item.hasFile { pool.addRoom(bytes.count + bytes.count / 2) }
      let opened = try ArchiveReader(inspecting: bytes)
      let measured = ArchiveSizes(opened)
      progress?.advance(to: 1)
      nodes = PageNodes(opened, measured, sensitive, &pool)
      progress?.advance(to: 2)
      (archive, check, sizes, error) = (opened, ArchiveCheck(bytes), measured, nil)
    } catch {
      (archive, check, sizes, nodes, self.error) = (nil, nil, nil, nil, error)
    }
    self.byteCount = byteCount
  }

  /// Whether the archive can be read and is intact.
  var isSound: Bool { item.isOmitted || check?.isValid ?? false }

  /// The answer to the first question: whether all of the archive is there.
  private var status: String {
    if item.isOmitted { return "not on this page, which would be too long" }
    if let error { return "not readable: \(error)".cut(to: Limits.length) }
    if let imported = item.imported {
      let losses = imported.notes.count(where: \.isLoss)
      let words = losses == 0 ? "" : losses == 1 ? " with 1 loss" : " with \(losses) losses"
      return "imported from \(imported.source.words)\(words)"
    }
    guard let check, !check.isValid else { return item.form == nil ? "file intact" : "made from \(item.form ?? "")" }
    let parts = [
      (check.findings.count, "finding", ""), (check.losses.reduce(0) { $0 + $1.nodes.count }, "node", " lost"),
      (check.losses.reduce(0) { $0 + $1.states.count }, "state", " lost"),
    ]
    return parts.filter { $0.0 > 0 }.map { ArchiveOverview.counted($0.0, $0.1) + $0.2 }.joined(separator: ", ")
  }

  // MARK: JSON

  func json(tree: Int?, _ limits: inout Limits, _ pool: inout PagePool) -> String {
    JSONTextWriter.text { writer in
      writer.object { writer in
        let header = archive?.header
        writer.members([
          "address": item.address?.cut(to: Limits.length), "app": header?.bundleIdentifier?.cut(to: 100),
          "build": header?.bundleVersion?.cut(to: 100), "byteCount": item.sourceByteCount ?? byteCount,
          "condition": item.condition.cut(to: Limits.length),
          "facts": archive.map { facts(of: $0, &pool) },
        ])
        if let check { findings(check, &writer, &limits) }
        writer.members([
          "group": item.group, "hasFile": item.hasFile,
          "isSound": isSound && item.imported?.notes.contains(where: \.isLoss) != true, "keys": Array(pool.keys[keyCount...]),
        ])
        if let check { losses(check, &writer, &limits) }
        writer.members(["name": item.name])
        if let imported = item.imported { notes(imported, &writer, &limits) }
        if let nodes, nodes.omittedCount > 0 { writer.members(["omittedCount": nodes.omittedCount]) }
        if let archive { origins(archive, &writer, &pool) }
        // An archive that was made for the page has no file whose overhead anyone would look for.
        if item.form == nil, let sizes {
          keySizes(sizes, &writer, &pool)
          overhead(sizes, &writer)
        }
        if let nodes { writer.member("runs") { $0.array(nodes.runs) { $0.raw("[\($1.first),\($1.count)]") } } }
        let saved = header.map { $0.timestamp.map { ArchiveValue.date($0).displayText } ?? "" }
        writer.members(["saved": saved, "status": status, "tree": tree, "writtenByteCount": item.writtenByteCount])
      }
    }
  }

  /// The name of the digest among the facts.
  static let digestName = "content digest"

  /// The header, and what the file is.
  private func facts(of archive: ArchiveReader, _ pool: inout PagePool) -> [[String]] {
    var facts = archive.header.entries.map { [$0.key, $0.value.displayText.cut(to: Limits.length)] }.filter {
      pool.take($0)
    }
    if let form = item.form {
      facts.append(["made from", form])
    } else {
      facts.append(["format", "restoration archive \(archive.formatVersion)"])
    }
    if item.imported == nil { facts.append([Self.digestName, "\(archive.contentDigest)"]) }
    return facts
  }

  /// Writes the saves that nodes were carried over from, as a build and as a sentence.
  private func origins(_ archive: ArchiveReader, _ writer: inout JSONTextWriter, _ pool: inout PagePool) {
    let origins = archive.records.metadata.origins.map { record in
      let origin = ArchiveOrigin(record)
      let build = origin.bundleVersion.map { "build \($0.cut(to: 100))" } ?? "an earlier save"
      let texts = ["carried over from \(build)", "\(origin)".cut(to: Limits.length)]
      return pool.take(texts) ? texts : ["carried over", ""]
    }
    writer.members(["origins": origins])
  }

  /// Writes the bytes of the largest keys, and the number of nodes that have each.
  ///
  /// Small sizes could tell the length of a sensitive value.
  private func keySizes(_ sizes: ArchiveSizes, _ writer: inout JSONTextWriter, _ pool: inout PagePool) {
    let large = sizes.keys.prefix(8).filter { $0.byteCount >= 1024 && !$0.name.hasPrefix("(") && pool.take([$0.name.cut(to: 100)]) }
    writer.member("keySizes") { writer in
      writer.array(large) { $0.array([$1.name.cut(to: 100), $1.byteCount, $1.count] as [any JSONMember]) { $1.write(to: &$0) } }
    }
  }

  /// Writes the bytes that belong to no node.
  private func overhead(_ sizes: ArchiveSizes, _ writer: inout JSONTextWriter) {
    writer.member("overhead") { $0.array(sizes.overhead) { $0.array(["\"\($1.name)\"", "\($1.byteCount)"]) { $0.raw($1) } } }
  }

  /// Writes what an import could not read, or read in spite of a fault.
  private func notes(_ imported: ImportedArchive, _ writer: inout JSONTextWriter, _ limits: inout Limits) {
    writer.elements(of: "notes") { add in
      for note in imported.notes.prefix(Limits.count) where limits.findings > 0 {
        let text = "\(note)".cut(to: Limits.length)
        limits.findings -= text.utf8.count + (note.path?.components.reduce(64) { $0 + $1.utf8.count } ?? 64)
        add { $0.object(["isLoss": note.isLoss, "path": note.path?.components, "text": text]) }
      }
    }
  }

  private func findings(_ check: ArchiveCheck, _ writer: inout JSONTextWriter, _ limits: inout Limits) {
    writer.members(["findingCount": check.findings.count])
    writer.elements(of: "findings") { add in
      for place in check.findings.indices.prefix(Limits.count) where limits.findings > 0 {
        let finding = check.findings[place]
        let text = "\(finding)".cut(to: Limits.length)
        // The path counts in full: it is written in full before the text is cut.
        limits.findings -= text.utf8.count + (finding.path?.components.reduce(64) { $0 + $1.utf8.count } ?? 64)
        let row = check.node(ofFinding: place).flatMap { self.row(of: $0) }
        add { $0.object(["node": row, "text": text]) }
      }
    }
  }

  /// Writes the damaged parts of the file and what each costs; the tree of the page marks the nodes themselves.
  private func losses(_ check: ArchiveCheck, _ writer: inout JSONTextWriter, _ limits: inout Limits) {
    writer.members(["lossCount": check.losses.count])
    writer.member("losses", objects: check.losses.prefix(Limits.count)) { writer, loss in
      // The first node that lost something.
      if limits.findings > 0, let path = loss.states.first ?? loss.nodes.first?.parent {
        let length = path.components.reduce(64) { $0 + $1.utf8.count }
        limits.findings -= length
        if length <= Limits.length { writer.members(["path": path.components]) }
      }
      writer.members(["text": Self.text(of: loss)])
    }
  }

  private static func text(of loss: ArchiveLoss) -> String {
    let counted = ArchiveOverview.counted
    let parts = [(loss.nodes.count, "node"), (loss.states.count, "state"), (loss.unreachableCount, "intact but unreachable node")]
    let costs = parts.filter { $0.0 > 0 }.map { counted($0.0, $0.1) }
    let place = "0x\(String(loss.range.lowerBound, radix: 16)) to 0x\(String(loss.range.upperBound, radix: 16))"
    return "damaged from \(place): \(costs.isEmpty ? "no node and no state is lost" : costs.joined(separator: ", ") + " lost")"
  }

  /// The row of a record; nil if the page has none for it.
  private func row(of record: Int) -> Int? {
    guard let nodes, nodes.rows.indices.contains(record), nodes.rows[record] >= 0 else { return nil }
    return nodes.rows[record]
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
