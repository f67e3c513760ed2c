#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONTextWriter {
  mutating func number(_ number: Int) {
    raw("\(number)")
  }

  /// Writes the outcome: the rescued archive.
  mutating func outcome(_ archive: Data, nodeCount: Int) {
    object { writer in
      writer.member("bytes") { $0.number(archive.count) }
      if let reader = try? ArchiveReader(archive) { writer.member("contentDigest") { $0.string(reader.contentDigest.description) } }
      writer.member("nodes") { $0.number(nodeCount) }
    }
  }

  /// Writes a damaged range of the file.
  mutating func damage(_ range: Range<Int>) {
    object { writer in
      writer.member("count") { $0.number(range.count) }
      writer.member("first") { $0.number(range.lowerBound) }
    }
  }

  /// Writes a fault of the file.
  mutating func fault(_ error: ArchiveError) {
    object { writer in
      writer.member("code") { $0.string(error.code.rawValue) }
      if let offset = error.offset { writer.member("offset") { $0.number(offset) } }
      writer.member("rule") { $0.string(error.rule) }
    }
  }

  /// Writes a loss, with paths in pieces.
  mutating func loss(_ loss: SalvageLoss, to output: inout some TextOutputStream) {
    object { writer in
      writer.member("code") { $0.string(loss.cause.code.rawValue) }
      if let records = loss.records { writer.member("firstRecord") { $0.number(records.lowerBound) } }
      if let key = loss.key { writer.member("key") { $0.string(key) } }
      writer.member("kind") { $0.string(loss.kind.rawValue) }
      if let offset = loss.cause.offset { writer.member("offset") { $0.number(offset) } }
      if let parent = loss.parent { writer.member("parent") { $0.path(parent, to: &output) } }
      if let path = loss.path { writer.member("path") { $0.path(path, to: &output) } }
      if let records = loss.records { writer.member("recordCount") { $0.number(records.count) } }
      writer.member("rule") { $0.string(loss.cause.rule) }
      if let section = loss.section { writer.member("section") { $0.string(section) } }
    }
  }
}
