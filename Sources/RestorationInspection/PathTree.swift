import ArchiveFormat
package import RestorationArchive

/// The nodes of an archive by path, drawn as a tree.
///
///     root  Window 2
///     ├─ list  List
///     └─ editor  Editor 3
///
/// Only the node table is read, unless state is requested, and only one node at a time is in memory.
package struct PathTree {
  package struct Options: Sendable {
    package var depth: Int?
    /// Whether to show the state size of each node, and the total of its descendants.
    package var showsSizes = false
    package var showsState = false
    package var sensitive = SensitiveValues.redact
    package var style = TextStyle.plain
    /// The nodes that a launch leaves out because they killed the app.
    package var quarantined: Set<RestorationPath> = []

    package init() {}
  }

  let archive: ArchiveReader
  let options: Options
  /// The total state size of the descendants of each node, by record; nil if no sizes are shown.
  private let sizes: [Int]?
  /// How the link changes each node, if the archive is one.
  private let link: LinkTable?
  /// One formatter for all states.
  private let values: ValueText
  /// The read errors; at most a hundred, to bound their memory.
  package private(set) var errors: [ArchiveError] = []
  package private(set) var errorCount = 0
  private var lastNoted: ArchiveError?

  package init(_ archive: ArchiveReader, options: Options = Options()) {
    self.archive = archive
    self.options = options
    values = ValueText(sensitive: options.sensitive, style: options.style, in: archive)
    sizes = options.showsSizes ? Self.sizesBelow(archive.records) : nil
    link = try? archive.linkTable()
  }

  // MARK: Text

  /// Writes the tree as text.
  ///
  /// Read errors are in ``errors`` afterwards.
  package mutating func write(to output: inout some TextOutputStream) {
    do throws(ArchiveError) {
      let application = try archive.application()
      let mark = options.quarantined.contains(.application) ? options.style.alarming("  (quarantined)") : ""
      output.write("\(options.style.dim("(application)"))\(mark)\(sizeText(of: application))\n")
      writeContents(of: application, indentation: application.childCount == 0 ? "  " : "│ ", to: &output)
      writeChildren(of: application, depth: 0, indentation: "", to: &output)
    } catch {
      note(error)
    }
  }

  /// Writes the descendants of a node.
  ///
  /// The maximum path depth of 256 bounds the recursion.
  private mutating func writeChildren(
    of parent: NodeReader, depth: Int, indentation: String, to output: inout some TextOutputStream
  ) {
    let count = parent.childCount
    if let limit = options.depth, depth >= limit {
      if count > 0 { output.write("\(indentation)└─ \(options.style.dim("… \(count) more below"))\n") }
      return
    }
    var place = 0
    parent.visitChildren { result in
      place += 1
      let isLast = place == count
      output.write("\(indentation)\(isLast ? "└─ " : "├─ ")")
      switch result {
      case .failure(let error):
        output.write("\(options.style.alarming("(lost: \(error.code))"))\n")
        note(error)
      case .success(let node):
        let below = indentation + (isLast ? "   " : "│  ")
        output.write(line(of: node) + "\n")
        writeContents(of: node, indentation: below + (node.childCount == 0 ? "  " : "│ "), to: &output)
        writeChildren(of: node, depth: depth + 1, indentation: below, to: &output)
      }
    }
  }

  private func line(of node: NodeReader) -> String {
    var line = options.style.bold((node.identifier ?? "").escapedForDisplay)
    if let type = node.typeText { line += "  \(type)" }
    if let origin = node.origin { line += options.style.dim("  (of \(origin))") }
    if isQuarantined(node) { line += options.style.alarming("  (quarantined)") }
    if let change = link?.entries[node.recordIndex] {
      let words = (change.change == .contents ? [] : ["\(change.change)"]) + (change.hasPlace ? ["placed"] : [])
      if !words.isEmpty { line += options.style.dim("  (\(words.joined(separator: ", ")))") }
    }
    return line + sizeText(of: node)
  }

  private func isQuarantined(_ node: NodeReader) -> Bool { !options.quarantined.isEmpty && options.quarantined.contains(node.path) }

  private func sizeText(of node: NodeReader) -> String {
    guard let below = sizeBelow(node) else { return "" }
    return options.style.dim("  \(node.stateByteCount) bytes" + (node.childCount > 0 ? ", \(below) below" : ""))
  }

  private func sizeBelow(_ node: NodeReader) -> Int? { sizes.map { node.recordIndex < $0.count ? $0[node.recordIndex] : 0 } }

  /// Returns the total state size of the descendants of each node, by record; unreadable records are not counted.
  private static func sizesBelow(_ records: ArchiveRecords) -> [Int] {
    var totals = [Int](repeating: 0, count: records.presentRecordCount)
    // A parent's index is less than its children's, so one backward pass computes all totals.
    for index in totals.indices.reversed() {
      guard let record = try? records.node(at: index).record, index > 0 else { continue }
      totals[Int(record.parent)] += totals[index] + Int(record.stateLength)
    }
    return totals
  }

  private mutating func writeContents(of node: NodeReader, indentation: String, to output: inout some TextOutputStream) {
    guard options.showsState else { return }
    do throws(ArchiveError) {
      let listing = try NodeListing(node)
      listing.visitLines(values) { line, _ in output.write("\(indentation)\(line)\n") }
    } catch {
      output.write("\(indentation)\(options.style.alarming("(state lost: \(error.code))"))\n")
      note(error)
    }
  }

  /// Records a read error; of a damaged block once.
  private mutating func note(_ error: ArchiveError) {
    if lastNoted?.isOfSameDamage(as: error) == true { return }
    lastNoted = error
    errorCount += 1
    if errors.count < 100 { errors.append(error) }
  }
}

extension ArchiveError {
  /// Whether another error is of the same damage: a damaged block has an error for every node in it.
  func isOfSameDamage(as other: ArchiveError) -> Bool { offset == other.offset && code == other.code }
}

extension NodeReader {
  var typeText: String? {
    type.map { schemaVersion == 0 ? $0.escapedForDisplay : "\($0.escapedForDisplay) \(schemaVersion)" }
  }
}

extension TypeRecord {
  /// The tag, and the schema version unless that is 0.
  package var text: String { schemaVersion == 0 ? tag : "\(tag) \(schemaVersion)" }
}

extension ArchiveRecords {
  /// Returns the path of a record; nil if an identifier on the way cannot be read.
  ///
  /// With a placeholder, that takes the place of such an identifier. A parent's index is less than its children's.
  package func path(of index: Int, placeholder: String? = nil) -> RestorationPath? {
    var identifiers: [String] = []
    var index = index
    while index > 0 {
      guard identifiers.count < FormatLimits.pathComponents, let node = try? node(at: index) else {
        if placeholder == nil { return nil }
        break
      }
      guard let identifier = (try? identifier(of: node)) ?? placeholder else { return nil }
      identifiers.append(identifier)
      index = Int(node.record.parent)
    }
    return RestorationPath(validated: identifiers.reversed())
  }
}

extension PathTree {
  /// Writes the tree as JSON: a list of the nodes, parents before children, in saved order.
  ///
  /// A node has its identifier and the place of its parent in the list: with the path of each node, the output of a chain of nodes would
  /// grow with the square of its length. Read errors are written under `unreadable`, and are in ``errors`` afterwards.
  package mutating func writeJSON(to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      do throws(ArchiveError) {
        let application = try archive.application()
        writer.member("application") { $0.object(members(of: application)) }
        writer.elements(of: "nodes") { add in
          // The place in the list of each node on the way to the current one.
          var (places, count): ([Int], Int) = ([], 0)
          application.visitDescendants(depth: options.depth) { result, depth in
            switch result {
            case .failure(let error): note(error)
            case .success(let node):
              places.removeLast(places.count - depth)
              let members = members(of: node, below: places.last)
              add { $0.object(members) }
              places.append(count)
              count += 1
            }
          }
        }
      } catch {
        note(error)
      }
      guard !errors.isEmpty else { return }
      writer.elements(of: "unreadable") { add in
        var left = Allowance(nil, byteCount: archive.byteCount)
        left.visit(errors, { $0.path }) { error in add { error.write(to: &$0) } }
      }
      writer.members(["unreadableCount": errorCount])
    }
  }

  /// Returns what is written of a node, with the place of its parent in the list, if that is in it.
  private mutating func members(of node: NodeReader, below parent: Int? = nil) -> JSONMembers {
    var contents: NodeListing?
    if options.showsState {
      do throws(ArchiveError) {
        contents = try NodeListing(node)
      } catch {
        note(error)
      }
    }
    let (json, change) = (contents?.json(options.sensitive), link?.entries[node.recordIndex])
    let origin: JSONMembers? = node.origin.map {
      ["bundleVersion": $0.bundleVersion, "sessionsCarried": $0.sessionsCarried, "timestamp": $0.timestamp]
    }
    return [
      "attributes": json?.attributes, "bytesBelow": sizeBelow(node), "change": change.map { "\($0.change)" },
      "childCount": node.childCount, "identifier": node.identifier, "isPlaced": change?.hasPlace == true ? true : nil,
      "isQuarantined": isQuarantined(node) ? true : nil, "origin": origin, "parent": parent, "provider": contents?.provider,
      "schema": node.type == nil ? nil : node.schemaVersion, "state": json?.state, "stateBytes": node.stateByteCount, "type": node.type,
    ]
  }
}
