import RestorationArchive
import StateRestoration

extension ArchiveOverview {
  /// Returns the overview as text, one fact per line.
  package func text(_ style: TextStyle = .plain) -> String {
    var rows: [(label: String, facts: [String])] = [
      ("format", ["restoration archive \(formatVersion)"]),
      ("header", header.entries.map { "\($0.key.escapedForDisplay): \($0.value.displayText)" }),
      ("nodes", [nodesText]),
      ("types", typeFacts),
      ("keys", ["\(keyCount) in the key table"]),
      ("size", [Self.counted(byteCount, "byte")]),
      ("parts", parts.map { "\($0.name): \(Self.counted($0.byteCount, "byte"))\($0.copies > 1 ? ", twice" : "")" }),
      ("content", ["digest \(contentDigest)"]),
    ]
    if !quarantined.isEmpty { rows.append(("quarantine", quarantined.map { style.alarming("\($0)") })) }
    rows.append(("integrity", [integrityText(style)]))
    return Self.lines(of: rows, style)
  }

  /// Returns a line for each fact, the first one of a row with its label.
  static func lines(of rows: [(label: String, facts: [String])], _ style: TextStyle) -> String {
    let lines = rows.flatMap { row in
      row.facts.enumerated().map { place, fact in
        let label = place == 0 ? row.label : ""
        return "\(style.dim(label))\(String(repeating: " ", count: 11 - label.count))\(fact)\n"
      }
    }
    return lines.joined()
  }

  /// The first thousand types.
  ///
  /// A file may have 65,535, of three bytes each.
  private var typeFacts: [String] {
    let rest = types.count - 1000
    return types.prefix(1000).map(text(of:)) + (rest > 0 ? ["… and \(Self.counted(rest, "more type"))"] : [])
  }

  private func text(of type: TypeCount) -> String {
    let schema = type.schemaVersion == 0 ? "" : " \(type.schemaVersion)"
    let name = "\(type.tag.escapedForDisplay)\(schema)"
    if isReadable { return "\(name): \(Self.counted(type.nodeCount, "node"))" }
    return type.nodeCount == 0 ? name : "\(name): at least \(Self.counted(type.nodeCount, "node"))"
  }

  /// Whether the records of all nodes can be read.
  private var isReadable: Bool { readableNodeCount == nodeCount }

  private var nodesText: String {
    guard nodeCount > 0 else { return "none: saved, and empty" }
    guard readableNodeCount > 0 else { return "\(nodeCount), none of which can be read" }
    let read = isReadable ? "" : ", \(readableNodeCount) of which can be read"
    let carried = carriedOverCount > 0 ? ", \(carriedOverCount) carried over from earlier saves" : ""
    return "\(nodeCount)\(read), on \(Self.counted(depth, "level"))\(carried)"
  }

  private func integrityText(_ style: TextStyle) -> String {
    guard !findings.isEmpty else { return "intact: every checksum and every rule holds" }
    return style.alarming("\(Self.counted(findings.count, "finding")); `restoration check` lists them")
  }

  package static func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }

  /// The overview as JSON.
  package var json: String {
    JSONTextWriter.inspection { writer in
      writer.member("byteCount") { $0.raw("\(byteCount)") }
      writer.member("carriedOverCount") { $0.raw("\(carriedOverCount)") }
      writer.member("contentDigest") { $0.string("\(contentDigest)") }
      writer.member("depth") { $0.raw("\(depth)") }
      writer.member("findingCount") { $0.raw("\(findings.count)") }
      writer.member("formatVersion") { $0.string("\(formatVersion)") }
      writer.member("header") { $0.entries(header.entries, sensitive: .reveal) }
      writer.member("isValid") { $0.raw("\(findings.isEmpty)") }
      writer.member("keyCount") { $0.raw("\(keyCount)") }
      writer.member("nodeCount") { $0.raw("\(nodeCount)") }
      writer.member("parts", objects: parts) { writer, part in
        writer.member("byteCount") { $0.raw("\(part.byteCount)") }
        writer.member("copies") { $0.raw("\(part.copies)") }
        writer.member("name") { $0.string(part.name) }
      }
      if !quarantined.isEmpty { writer.member("quarantined") { $0.array(quarantined) { $0.string($1.path.description) } } }
      writer.member("typeCount") { $0.raw("\(types.count)") }
      writer.member("types", objects: types.prefix(1000)) { writer, type in
        writer.member("nodeCount") { $0.raw("\(type.nodeCount)") }
        writer.member("schema") { $0.raw("\(type.schemaVersion)") }
        writer.member("type") { $0.string(type.tag) }
      }
    }
  }
}
