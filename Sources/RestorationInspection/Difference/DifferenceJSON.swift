import FoundationValues
package import RestorationArchive

extension ArchiveDifference {
  /// Writes the changes, or only their numbers, as JSON; the names identify the two files.
  package func writeJSON(oldName: String, newName: String, isStatistics: Bool = false, to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      if !isStatistics {
        writer.elements(of: "changes") { add in visitChanges { change in add { $0.write(change, options.sensitive) } } }
      }
      writer.members([
        "counts": counts, "isSame": isEmpty, "new": newName, "old": oldName, "path": options.path.isEmpty ? nil : options.path,
        "statistics": isStatistics ? statistics : nil,
      ])
    }
  }

  private var statistics: JSONMembers {
    let (left, right) = (statistics(isOld: true), statistics(isOld: false))
    let bytes: JSONMembers = ["new": new.archive.byteCount, "old": old.archive.byteCount]
    return [
      "fileBytes": options.path.isEmpty ? bytes : nil, "nodes": ["new": right.nodes, "old": left.nodes] as JSONMembers,
      "stateBytes": ["new": right.bytes, "old": left.bytes] as JSONMembers,
      "types": JSONList(Self.changedTypes(left, right)) { ["new": $0.after, "old": $0.before, "type": $0.type] },
    ]
  }
}

extension ArchiveDifference.Counts: JSONMember {
  package func write(to writer: inout JSONTextWriter) {
    writer.object { writer in
      for part in parts.sorted(by: { $0.name < $1.name }) { writer.members([part.name: part.count]) }
    }
  }
}

extension JSONTextWriter {
  fileprivate mutating func write(_ change: ArchiveChange, _ sensitive: SensitiveValues) {
    switch change {
    case .formatVersion(let old, let new): object(["kind": "format-version", "new": "\(new)", "old": "\(old)"])
    case .header(let change): write(change, kind: "header", sensitive)
    case .section(let change):
      object([
        "code": change.code, "error": change.error, "kind": "section", "newByteCount": change.newByteCount,
        "oldByteCount": change.oldByteCount,
      ])
    case .node(let change): write(change, sensitive)
    case .brokenReference(let broken):
      object(["key": broken.key, "kind": "broken-reference", "path": broken.path, "target": broken.target])
    }
  }

  private mutating func write(_ change: NodeDifference, _ sensitive: SensitiveValues) {
    object { writer in
      let isSingle = change.kind == .added || change.kind == .removed
      let order = JSONList(change.order) { ["identifier": $0.identifier, "newPlace": $0.newPlace, "oldPlace": $0.oldPlace] }
      writer.members([
        "byteCount": change.byteCount > 0 ? change.byteCount : nil, "error": change.error, "kind": change.kind.rawValue,
        "nodeCount": isSingle ? change.nodeCount : nil, "oldPath": change.oldPath, "order": change.order.isEmpty ? nil : order,
        "path": change.path, "type": change.type,
      ])
      if !change.changes.isEmpty {
        writer.member("values") { $0.array(change.changes) { $0.write($1, kind: nil, sensitive) } }
      }
    }
  }

  private mutating func write(_ change: ValueChange, kind: String?, _ sensitive: SensitiveValues) {
    object { writer in
      writer.members(["change": change.kind.rawValue, "isSensitive": change.isSensitive ? true : nil, "kind": kind])
      if let long = LongDifference(change) {
        writer.members([
          "newByteCount": long.new.count, "newBytes": Data(long.new[long.splice.new]).base64EncodedString(), "offset": long.splice.start,
          "oldByteCount": long.old.count, "oldBytes": Data(long.old[long.splice.old]).base64EncodedString(),
        ])
      } else {
        if let value = change.new { writer.member("new") { $0.value(value, sensitive: sensitive) } }
        if let value = change.old { writer.member("old") { $0.value(value, sensitive: sensitive) } }
      }
      writer.members(["part": change.part.rawValue, "place": change.place])
    }
  }
}

extension ValueChange.Step: JSONMember {
  package func write(to writer: inout JSONTextWriter) {
    switch self {
    case .key(let key): writer.string(key)
    case .index(let index): writer.number(index)
    }
  }
}

/// The difference of two long texts or data values, which JSON shows by the part that differs.
private struct LongDifference {
  /// The length of the longer value from which only the part that differs is written.
  private static let least = 1024

  let old: [UInt8]
  let new: [UInt8]
  let splice: Splice

  /// Creates the difference, or nil for all other values.
  init?(_ change: ValueChange) {
    switch (change.old, change.new) {
    case (.data(let old)?, .data(let new)?): self.init([UInt8](old), [UInt8](new))
    case (.string(let old)?, .string(let new)?): self.init(Array(old.utf8), Array(new.utf8))
    default: return nil
    }
  }

  private init?(_ old: [UInt8], _ new: [UInt8]) {
    guard max(old.count, new.count) >= Self.least else { return nil }
    self.old = old
    self.new = new
    splice = Splice(old, new, by: ==)
  }
}
