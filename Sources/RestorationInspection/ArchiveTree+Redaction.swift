import RestorationArchive

extension ArchiveTree {
  /// Replaces every sensitive value with null; entries keep their sensitive marks.
  mutating func redactSensitiveValues() {
    applicationState.redactSensitiveValues()
    nodes.redactSensitiveValues()
  }
}

extension [ArchiveNode] {
  // The maximum path depth bounds the recursion.
  fileprivate mutating func redactSensitiveValues() {
    for index in indices {
      self[index].state.redactSensitiveValues()
      self[index].children.redactSensitiveValues()
    }
  }
}

extension ArchiveDictionary {
  /// Replaces every sensitive value, at any depth, with null; entries keep their sensitive marks.
  fileprivate mutating func redactSensitiveValues() {
    guard hasSensitiveValues else { return }
    self = ArchiveDictionary(
      map { entry in
        Entry(key: entry.key, value: entry.isSensitive ? .null : entry.value.redacted, isSensitive: entry.isSensitive)
      })
  }
}

extension ArchiveValue {
  /// The value, with every sensitive value in it replaced with null.
  var redacted: ArchiveValue {
    switch self {
    case .array(let elements): return .array(elements.map(\.redacted))
    case .dictionary(var entries):
      entries.redactSensitiveValues()
      return .dictionary(entries)
    default: return self
    }
  }
}
