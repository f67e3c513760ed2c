package import RestorationArchive

/// The findings in an archive and the resulting losses, as text or JSON.
///
/// A hostile file can have a fault in every 48 bytes, each with a path of a quarter of a megabyte. By default a report
/// therefore lists at most a thousand findings, and at most a thousand lost nodes and states. Each list also ends when
/// its paths exceed the length of the file (or 64 KiB). The total numbers are always exact. An explicit limit is used
/// as given, whatever the length of the paths.
package struct CheckReport: Sendable {
  package let check: ArchiveCheck
  /// The archive, if it can be opened.
  private let archive: ArchiveReader?
  /// The chain that the archive comes from, if it comes from one.
  private let chain: ChainFiles.Resolved?
  private let limit: Allowance

  /// The fault of a link, which is no finding in the archive before it.
  private var linkFault: ChainFiles.Loss? { chain?.loss.flatMap { $0.isOfBase ? nil : $0 } }

  /// The damage of the files of a chain that costs none of their content.
  private let harmless: [(path: String, error: ArchiveError)]

  private var findingCount: Int { check.findings.count + harmless.count + (linkFault == nil ? 0 : 1) }

  /// Whether the archive is valid, and all files of its chain are and were applied.
  package var isValid: Bool { check.isValid && harmless.isEmpty && chain?.loss == nil }

  /// Whether the file cannot be opened as an archive.
  package var isUnreadable: Bool { archive == nil }

  /// Checks every byte of an archive.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - listingLimit: The maximum number of listed findings, and of listed lost nodes and states together; nil for the
  ///     default limits.
  ///   - chain: The chain that the archive comes from, if it comes from one.
  package init(_ bytes: [UInt8], listingLimit: Int? = nil, of chain: ChainFiles.Resolved? = nil) {
    check = ArchiveCheck(bytes)
    self.chain = chain
    harmless = (chain?.files ?? []).flatMap { file in ArchiveCheck(file.bytes).findings.map { (file.path, $0) } }
    archive = try? ArchiveReader(inspecting: bytes)
    limit = Allowance(listingLimit, byteCount: bytes.count)
  }

  /// Returns the broken references within the limits, and the number of all; they break no rule of the format.
  ///
  /// None of an archive with findings: what they damage may be what a reference leads to.
  private func brokenReferences() -> (listed: [BrokenReference], count: Int) {
    var (listed, count, left): ([BrokenReference], Int, Allowance) = ([], 0, limit)
    guard check.isValid else { return ([], 0) }
    archive?.visitBrokenReferences { node, broken in
      count += broken.count
      guard !left.isSpent else { return }
      let path = node.path
      for reference in broken {
        let target = SensitiveValues.redact.hides(reference.isSensitive) ? nil : reference.target
        if left.take(path, target) { listed.append(BrokenReference(path: path, key: reference.key, target: target)) }
      }
    }
    return (listed, count)
  }

  // MARK: Text

  /// Writes a line for each finding, the losses, the broken references, and the verdict.
  package func write(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    if let fault = linkFault { output.write("\(style.alarming(fault.error.code.rawValue)): \(fault.words)\n") }
    for (path, error) in harmless { output.write("\(style.alarming(error.code.rawValue)): \(path.escapedForDisplay): \(error)\n") }
    var left = limit
    let listed = left.visit(check.findings, { $0.path }) { output.write("\(style.alarming($0.code.rawValue)): \($0)\n") }
    Self.writeRest(of: check.findings.count - listed, "more finding", to: &output)
    left = limit
    for loss in check.losses { Self.write(loss, &left, to: &output) }
    // Without the end of the file nothing says where its parts are.
    if check.findings.first?.code == .truncated, check.losses.isEmpty {
      output.write("lost: whatever was after the end; `restoration salvage` lists it\n")
    }
    if let loss = chain?.loss { output.write("\(Self.line(of: loss))\n") }
    let broken = brokenReferences()
    for reference in broken.listed { output.write("\(style.changed("note")): \(reference)\n") }
    Self.writeRest(of: broken.count - broken.listed.count, "more broken reference", to: &output)
    output.write("\(style.bold(verdict))\n")
  }

  private var verdict: String {
    guard let archive else { return "not readable as an archive" }
    let nodes = ArchiveOverview.counted(archive.nodeCount, "node")
    if isValid { return archive.isLink ? "an intact link, which by itself is no archive: \(nodes)" : "intact: \(nodes)" }
    return "\(ArchiveOverview.counted(findingCount, "finding")) in an archive of \(nodes)\(chain.map(Self.links) ?? "")"
  }

  private static func links(of chain: ChainFiles.Resolved) -> String {
    if chain.loss == nil { return "" }
    let links = ArchiveOverview.counted(chain.linkCount, "link")
    return chain.appliedCount == 0 ? " without its \(links)" : " with \(chain.appliedCount) of its \(links)"
  }

  /// Returns the line of the saves that the links of a chain would hold.
  private static func line(of loss: ChainFiles.Loss) -> String {
    guard let first = loss.links.first, let last = loss.links.last else { return "lost: \(loss.saves)" }
    let names = first == last ? first.escapedForDisplay : "\(first.escapedForDisplay) to \(last.escapedForDisplay)"
    return "lost: \(loss.saves): \(names)"
  }

  static func writeRest(of count: Int, _ noun: String, to output: inout some TextOutputStream) {
    if count > 0 { output.write("… and \(ArchiveOverview.counted(count, noun))\n") }
  }

  /// Writes the lost states and nodes of a damaged range, within the remaining limits.
  private static func write(_ loss: ArchiveLoss, _ left: inout Allowance, to output: inout some TextOutputStream) {
    let place = "0x\(String(loss.range.lowerBound, radix: 16)) to 0x\(String(loss.range.upperBound, radix: 16))"
    output.write("lost by damage from \(place):\(loss.isHarmless ? " no node and no state" : "")\n")
    let states = left.visit(loss.states, { $0 }) { output.write("  the state of \($0.displayText)\n") }
    writeRest(of: loss.states.count - states, "more state", to: &output)
    // Consecutive lost records with the same parent share a line.
    var run: (first: ArchiveLoss.LostNode, last: Int)?
    let nodes = left.visit(loss.nodes, { $0.parent }) { node in
      if let (first, last) = run {
        if node.record == last + 1, node.parent == first.parent {
          run = (first, node.record)
          return
        }
        output.write(line(of: first, to: last))
      }
      run = (node, node.record)
    }
    if let run { output.write(line(of: run.first, to: run.last)) }
    writeRest(of: loss.nodes.count - nodes, "more node record", to: &output)
    if loss.unreachableCount > 0 {
      output.write("  \(ArchiveOverview.counted(loss.unreachableCount, "intact node")) below can no longer be reached\n")
    }
  }

  private static func line(of first: ArchiveLoss.LostNode, to last: Int) -> String {
    let records = first.record == last ? "node record \(last)" : "node records \(first.record) to \(last)"
    return "  \(records)\(first.parent.map { " below \($0.displayText)" } ?? "")\n"
  }

  // MARK: JSON

  package func writeJSON(of file: String? = nil, to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      let broken = brokenReferences()
      let references = JSONList(broken.listed) { ["key": $0.key, "path": $0.path, "target": $0.target] }
      writer.members([
        "appliedLinkCount": chain?.appliedCount, "brokenReferenceCount": broken.count == 0 ? nil : broken.count,
        "brokenReferences": broken.count == 0 ? nil : references, "file": file, "findingCount": findingCount,
      ])
      writer.elements(of: "findings") { add in
        if let fault = linkFault { add { fault.error.write(to: &$0) } }
        for fault in harmless { add { fault.error.write(to: &$0) } }
        var left = limit
        left.visit(check.findings, { $0.path }) { finding in add { finding.write(to: &$0) } }
      }
      writer.members(["formatVersion": check.formatVersion.map { "\($0)" }, "isValid": isValid])
      var left = limit
      writer.member("losses", objects: check.losses) { $0.loss($1, &left) }
      writer.members(["lostSaves": chain?.loss, "nodeCount": archive?.nodeCount])
    }
  }
}

extension ChainFiles.Loss: JSONMember {
  package func write(to writer: inout JSONTextWriter) { writer.object(["error": error, "file": path, "links": links]) }
}

extension JSONTextWriter {
  /// Writes the lost states and nodes of a damaged range, within the remaining limits.
  fileprivate mutating func loss(_ loss: ArchiveLoss, _ left: inout Allowance) {
    members(["end": loss.range.upperBound, "nodeCount": loss.nodes.count])
    elements(of: "nodes") { add in
      left.visit(loss.nodes, { $0.parent }) { node in
        add { $0.object(["parent": node.parent, "record": node.record]) }
      }
    }
    members(["start": loss.range.lowerBound, "stateCount": loss.states.count])
    elements(of: "states") { add in left.visit(loss.states, { $0 }) { state in add { $0.path(state) } } }
    members(["unreachableCount": loss.unreachableCount])
  }
}

struct Allowance {
  private var count: Int
  /// The total length of their paths in bytes.
  ///
  /// The last item may exceed it.
  private var byteCount: Int

  /// The limits of a report about a file: by default a thousand items, and paths as long as the file; a number that was asked for
  /// is used as given.
  init(_ limit: Int?, byteCount: Int) {
    (count, self.byteCount) = (limit ?? 1000, limit == nil ? max(byteCount, 1 << 16) : .max)
  }

  var isSpent: Bool { count <= 0 || byteCount <= 0 }

  /// Visits elements until a limit is reached.
  ///
  /// - Returns: The number of visited elements.
  @discardableResult
  mutating func visit<Elements: Collection>(
    _ elements: Elements, _ path: (Elements.Element) -> RestorationPath?, _ body: (Elements.Element) -> Void
  ) -> Int {
    var visited = 0
    for element in elements {
      guard take(path(element)) else { break }
      body(element)
      visited += 1
    }
    return visited
  }

  /// Counts an item with its paths, and returns whether it is within the limits.
  mutating func take(_ paths: RestorationPath?...) -> Bool {
    guard !isSpent else { return false }
    count -= 1
    for path in paths { byteCount -= path?.components.reduce(0) { $0 + $1.utf8.count } ?? 0 }
    return true
  }
}
