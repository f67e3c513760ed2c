import FoundationValues
import RestorationArchive

extension ArchiveDifference {
  /// Writes the changes, or only their numbers, as JSON; the names identify the two files.
  package func writeJSON(oldName: String, newName: String, isStatistics: Bool = false, to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      if !isStatistics {
        writer.member("changes") { writer in
          writer.array { writer in visitChanges { change in writer.element { $0.write(change, options.sensitive) } } }
        }
      }
      writer.member("counts") { $0.write(counts) }
      writer.member("isSame") { $0.raw("\(isEmpty)") }
      writer.member("new") { $0.string(newName) }
      writer.member("old") { $0.string(oldName) }
      if !isStatistics, !options.path.isEmpty { writer.member("path") { $0.path(options.path) } }
    }
  }
}

extension JSONTextWriter {
  mutating func write(_ counts: ArchiveDifference.Counts) {
    object { writer in
      for part in counts.parts.sorted(by: { $0.name < $1.name }) { writer.member(part.name) { $0.raw("\(part.count)") } }
    }
  }

  fileprivate mutating func write(_ change: ArchiveChange, _ sensitive: SensitiveValues) {
    switch change {
    case .formatVersion(let old, let new):
      object { writer in
        writer.member("kind") { $0.string("format-version") }
        writer.member("new") { $0.string("\(new)") }
        writer.member("old") { $0.string("\(old)") }
      }
    case .header(let change): write(change, kind: "header", sensitive)
    case .section(let change):
      object { writer in
        writer.member("code") { $0.string(change.code) }
        if let error = change.error { writer.member("error") { $0.error(error) } }
        writer.member("kind") { $0.string("section") }
        if let count = change.newByteCount { writer.member("newByteCount") { $0.raw("\(count)") } }
        if let count = change.oldByteCount { writer.member("oldByteCount") { $0.raw("\(count)") } }
      }
    case .node(let change): write(change, sensitive)
    case .brokenReference(let broken):
      object { writer in
        writer.member("key") { $0.string(broken.key) }
        writer.member("kind") { $0.string("broken-reference") }
        writer.member("path") { $0.path(broken.path) }
        writer.member("target") { $0.path(broken.target) }
      }
    }
  }

  private mutating func write(_ change: NodeDifference, _ sensitive: SensitiveValues) {
    object { writer in
      if change.byteCount > 0 { writer.member("byteCount") { $0.raw("\(change.byteCount)") } }
      if let error = change.error { writer.member("error") { $0.error(error) } }
      writer.member("kind") { $0.string(change.kind.rawValue) }
      if change.kind == .added || change.kind == .removed { writer.member("nodeCount") { $0.raw("\(change.nodeCount)") } }
      if let path = change.oldPath { writer.member("oldPath") { $0.path(path) } }
      if !change.order.isEmpty {
        writer.member("order", objects: change.order) { writer, moved in
          writer.member("identifier") { $0.string(moved.identifier) }
          writer.member("newPlace") { $0.raw("\(moved.newPlace)") }
          writer.member("oldPlace") { $0.raw("\(moved.oldPlace)") }
        }
      }
      writer.member("path") { $0.path(change.path) }
      if let type = change.type { writer.member("type") { $0.string(type) } }
      if !change.changes.isEmpty {
        writer.member("values") { $0.array(change.changes) { $0.write($1, kind: nil, sensitive) } }
      }
    }
  }

  private mutating func write(_ change: ValueChange, kind: String?, _ sensitive: SensitiveValues) {
    object { writer in
      writer.member("change") { $0.string(change.kind.rawValue) }
      if change.isSensitive { writer.member("isSensitive") { $0.raw("true") } }
      if let kind { writer.member("kind") { $0.string(kind) } }
      if let long = LongDifference(change) {
        writer.member("newByteCount") { $0.raw("\(long.new.count)") }
        writer.member("newBytes") { $0.string(Data(long.new[long.splice.new]).base64EncodedString()) }
        writer.member("offset") { $0.raw("\(long.splice.start)") }
        writer.member("oldByteCount") { $0.raw("\(long.old.count)") }
        writer.member("oldBytes") { $0.string(Data(long.old[long.splice.old]).base64EncodedString()) }
      } else {
        if let value = change.new { writer.member("new") { $0.value(value, sensitive: sensitive) } }
        if let value = change.old { writer.member("old") { $0.value(value, sensitive: sensitive) } }
      }
      writer.member("part") { $0.string(change.part.rawValue) }
      writer.member("place") { $0.place(change.place) }
    }
  }

  /// Writes the keys and indexes that lead to a value.
  mutating func place(_ steps: [ValueChange.Step]) {
    array(steps) { writer, step in
      switch step {
      case .key(let key): writer.string(key)
      case .index(let index): writer.raw("\(index)")
      }
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
