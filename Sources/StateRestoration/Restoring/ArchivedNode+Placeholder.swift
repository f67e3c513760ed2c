import RestorationArchive

extension ArchivedNode {
  /// Whether it holds nothing and keeps the place of what lies below it.
  var isPlaceholder: Bool {
    guard type == nil, hasAttributes, let attributes = try? attributes() else { return false }
    return attributes[EngineAttribute.placeholder] == .bool(true)
  }
}
