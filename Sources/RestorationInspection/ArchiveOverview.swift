import ArchiveFormat
package import RestorationArchive
package import StateRestoration

/// A summary of an archive: header, versions, counts, sizes, and whether it is intact.
package struct ArchiveOverview: Sendable {
  package struct Part: Sendable, Equatable {
    /// The section code, or the Spec's name of the part.
    package let name: String
    package let byteCount: Int
    package let copies: Int
  }

  private let archive: ArchiveReader
  /// The length of the file, which may be cut short.
  private let byteCount: Int
  private let counts: NodeCounts
  package let parts: [Part]
  /// The types of nodes, in ascending order of their tags.
  package let types: ComputedList<TypeCount>
  /// The nodes that a launch leaves out because they killed the app, if the archive is in a store.
  package var quarantined: [QuarantinedNode] = []
  package let findings: ComputedList<ArchiveError>

  package var nodeCount: Int { archive.nodeCount }
  /// The number of nodes whose records can be read.
  package var readableNodeCount: Int { counts.readable }

  /// Summarizes an archive.
  ///
  /// - Throws: The reason, if no part of the archive can be read.
  /// - Complexity: O(n) in the length of the file; every byte is checked.
  package init(_ bytes: [UInt8]) throws(ArchiveError) {
    archive = try ArchiveReader(inspecting: bytes)
    let records = archive.records
    counts = NodeCounts(records)
    byteCount = bytes.count
    // Computed on access, because a small file can have 65,535.
    types = ComputedList(count: records.metadata.types.count) { [types = records.metadata.types, counts] index in
      TypeCount(tag: types[index].tag, schemaVersion: types[index].version, nodeCount: Int(counts.types[index]))
    }
    parts =
      [
        Part(name: "prefix", byteCount: ArchivePrefix.byteCount, copies: 2),
        Part(name: "metadata", byteCount: records.layout.metadataLength, copies: 2),
        Part(name: "checksum tree", byteCount: records.layout.tree.byteCount, copies: 2),
      ] + records.metadata.sections.map { Part(name: $0.code.text, byteCount: $0.length, copies: 1) }
    findings = ArchiveCheck(bytes).findings
  }
}

/// Counts from one pass over the node table.
///
/// Unreadable records are not counted.
private struct NodeCounts: Sendable {
  private(set) var readable = 0
  private(set) var depth = 0
  private(set) var carriedOver = 0
  /// The number of nodes of each type, by index in the type table.
  private(set) var types: [UInt32]

  init(_ records: ArchiveRecords) {
    types = [UInt32](repeating: 0, count: records.metadata.types.count)
    var depths = [UInt16](repeating: 0, count: records.presentRecordCount)
    for index in 1..<max(1, records.presentRecordCount) {
      guard let record = try? records.node(at: index).record else { continue }
      readable += 1
      // Parents precede their children. A depth beyond the format's limit is capped just above it.
      depths[index] = min(depths[Int(record.parent)] + 1, UInt16(FormatLimits.pathComponents) + 1)
      depth = max(depth, Int(depths[index]))
      if record.origin != 0 { carriedOver += 1 }
      if record.type != 0 { types[Int(record.type) - 1] += 1 }
    }
  }
}

/// A type of an archive's nodes, and the number of these nodes.
package struct TypeCount: Sendable, Equatable {
  package let tag: String
  package let schemaVersion: Int
  package let nodeCount: Int
}

extension ArchiveOverview {
  package func text(_ style: TextStyle = .plain) -> String {
    var rows: [(label: String, facts: [String])] = [
      ("format", ["restoration archive \(archive.formatVersion)"]),
      ("header", archive.header.entries.map { "\($0.key.escapedForDisplay): \($0.value.displayText)" }),
      ("nodes", [nodesText]),
      ("types", typeFacts),
      ("keys", ["\(archive.records.metadata.keys.count) in the key table"]),
      ("size", [Self.counted(byteCount, "byte")]),
      ("parts", parts.map { "\($0.name): \(Self.counted($0.byteCount, "byte"))\($0.copies > 1 ? ", twice" : "")" }),
      ("content", ["digest \(archive.contentDigest)"]),
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
    let name = type.tag.escapedForDisplay + (type.schemaVersion == 0 ? "" : " \(type.schemaVersion)")
    if isReadable { return "\(name): \(Self.counted(type.nodeCount, "node"))" }
    return type.nodeCount == 0 ? name : "\(name): at least \(Self.counted(type.nodeCount, "node"))"
  }

  /// Whether the records of all nodes can be read.
  private var isReadable: Bool { readableNodeCount == nodeCount }

  private var nodesText: String {
    guard nodeCount > 0 else { return "none: saved, and empty" }
    guard readableNodeCount > 0 else { return "\(nodeCount), none of which can be read" }
    let read = isReadable ? "" : ", \(readableNodeCount) of which can be read"
    let carried = counts.carriedOver > 0 ? ", \(counts.carriedOver) carried over from earlier saves" : ""
    return "\(nodeCount)\(read), on \(Self.counted(counts.depth, "level"))\(carried)"
  }

  private func integrityText(_ style: TextStyle) -> String {
    guard !findings.isEmpty else { return "intact: every checksum and every rule holds" }
    return style.alarming("\(Self.counted(findings.count, "finding")); `restoration check` lists \(findings.count == 1 ? "it" : "them")")
  }

  package static func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  package var json: String {
    JSONTextWriter.inspection([
      "byteCount": byteCount, "carriedOverCount": counts.carriedOver, "contentDigest": "\(archive.contentDigest)", "depth": counts.depth,
      "findingCount": findings.count, "formatVersion": "\(archive.formatVersion)",
      "header": JSONEntries(entries: archive.header.entries, sensitive: .reveal), "isValid": findings.isEmpty,
      "keyCount": archive.records.metadata.keys.count, "nodeCount": nodeCount,
      "parts": JSONList(parts) { ["byteCount": $0.byteCount, "copies": $0.copies, "name": $0.name] },
      "quarantined": quarantined.isEmpty ? nil : quarantined.map(\.path.description), "typeCount": types.count,
      "types": JSONList(types.prefix(1000)) { ["nodeCount": $0.nodeCount, "schema": $0.schemaVersion, "type": $0.tag] },
    ])
  }
}
