import RestorationArchive

extension JSONTextWriter {
  /// Writes an error with all of its details.
  mutating func error(_ error: ArchiveError) {
    object { writer in
      writer.member("code") { $0.string(error.code.rawValue) }
      if !error.expected.isEmpty { writer.member("expected") { $0.string(error.expected) } }
      if !error.found.isEmpty { writer.member("found") { $0.string(error.found) } }
      if let key = error.key { writer.member("key") { $0.string(key) } }
      writer.member("kind") { $0.string(error.kind.rawValue) }
      if let offset = error.offset { writer.member("offset") { $0.raw("\(offset)") } }
      if let path = error.path { writer.member("path") { $0.path(path) } }
      writer.member("rule") { $0.string(error.rule) }
      writer.member("subject") { $0.string(error.subject) }
    }
  }
}
