public import RestorationArchive

/// Everything that is wrong with an archive, and what that costs, as text or JSON.
public struct CheckReport: Sendable {
  /// What the check found.
  public let check: ArchiveCheck
  /// The number of nodes, if the archive can be opened.
  public let nodeCount: Int?

  /// Whether nothing of the file can be read as an archive.
  public var isUnreadable: Bool { nodeCount == nil }

  /// Checks an archive to the last byte.
  public init(_ bytes: [UInt8]) {
    check = ArchiveCheck(bytes)
    nodeCount = (try? InspectedArchive(bytes))?.reader.nodeCount
  }

  /// A line for each finding, what is lost, and the verdict.
  public func text(_ style: TextStyle = .plain) -> String {
    var lines = check.findings.map { "\(style.alarming($0.code.rawValue)): \($0)" }
    for loss in check.losses { lines += Self.lines(of: loss) }
    lines.append(style.bold(verdict))
    return lines.joined(separator: "\n") + "\n"
  }

  private var verdict: String {
    guard let nodeCount else { return "not readable as an archive" }
    let nodes = ArchiveOverview.counted(nodeCount, "node")
    if check.isValid { return "intact: \(nodes)" }
    return "\(ArchiveOverview.counted(check.findings.count, "finding")) in an archive of \(nodes)"
  }

  private static func lines(of loss: ArchiveLoss) -> [String] {
    let place = "0x\(String(loss.range.lowerBound, radix: 16)) to 0x\(String(loss.range.upperBound, radix: 16))"
    if loss.isHarmless { return ["lost by damage from \(place): no node and no state"] }
    var lines = ["lost by damage from \(place):"]
    lines += loss.states.map { "  the state of \($0.isEmpty ? "(application)" : $0.description.escapedForDisplay)" }
    lines += Self.lines(of: loss.nodes)
    if loss.unreachableCount > 0 { lines.append("  the way to \(ArchiveOverview.counted(loss.unreachableCount, "intact node")) below") }
    return lines
  }

  /// Lost records that follow each other and have the same parent share a line.
  private static func lines(of nodes: [ArchiveLoss.Node]) -> [String] {
    var lines: [String] = []
    var rest = nodes[...]
    while let first = rest.popFirst() {
      var last = first
      while let next = rest.first, next.record == last.record + 1, next.parent == first.parent {
        last = next
        rest.removeFirst()
      }
      let records = first == last ? "node record \(first.record)" : "node records \(first.record) to \(last.record)"
      let parent = first.parent.map { $0.isEmpty ? " below (application)" : " below \($0.description.escapedForDisplay)" } ?? ""
      lines.append("  \(records)\(parent)")
    }
    return lines
  }

  /// Findings and losses as JSON.
  public var json: String {
    var writer = JSONTextWriter()
    writer.inspection { writer in
      writer.member("findings") { $0.array(check.findings) { $0.error($1) } }
      if let version = check.formatVersion { writer.member("formatVersion") { $0.string("\(version)") } }
      writer.member("isValid") { $0.raw("\(check.isValid)") }
      writer.member("losses") { $0.array(check.losses) { $0.loss($1) } }
      if let nodeCount { writer.member("nodeCount") { $0.raw("\(nodeCount)") } }
    }
    return writer.takeText()
  }
}

extension JSONTextWriter {
  fileprivate mutating func loss(_ loss: ArchiveLoss) {
    object { writer in
      writer.member("end") { $0.raw("\(loss.range.upperBound)") }
      writer.member("nodes") { writer in
        writer.array(loss.nodes) { writer, node in
          writer.object { writer in
            if let parent = node.parent { writer.member("parent") { $0.string(parent.description) } }
            writer.member("record") { $0.raw("\(node.record)") }
          }
        }
      }
      writer.member("start") { $0.raw("\(loss.range.lowerBound)") }
      writer.member("states") { $0.array(loss.states) { $0.string($1.description) } }
      writer.member("unreachableCount") { $0.raw("\(loss.unreachableCount)") }
    }
  }
}
