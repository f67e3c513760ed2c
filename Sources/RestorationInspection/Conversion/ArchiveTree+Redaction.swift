import RestorationArchive

extension ArchiveTree {
  /// Replaces every sensitive value by null; the marks stay.
  mutating func redactSensitiveValues() {
    applicationState.redactSensitiveValues()
    nodes.redactSensitiveValues()
  }
}

extension [ArchiveNode] {
  // The depth of a path bounds the recursion.
  fileprivate mutating func redactSensitiveValues() {
    for index in indices {
      self[index].state.redactSensitiveValues()
      self[index].children.redactSensitiveValues()
    }
  }
}

extension ArchiveDictionary {
  /// Replaces every sensitive value, at any depth, by null; the marks stay.
  fileprivate mutating func redactSensitiveValues() {
    guard hasSensitiveValues else { return }
    self = ArchiveDictionary(
      map { entry in
        Entry(key: entry.key, value: entry.isSensitive ? .null : entry.value.redacted, isSensitive: entry.isSensitive)
      })
  }
}

extension ArchiveValue {
  fileprivate var redacted: ArchiveValue {
    switch self {
    case .array(let elements): return .array(elements.map(\.redacted))
    case .dictionary(var entries):
      entries.redactSensitiveValues()
      return .dictionary(entries)
    default: return self
    }
  }
}
