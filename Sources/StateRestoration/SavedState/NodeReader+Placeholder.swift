import RestorationArchive

extension NodeReader {
  /// Whether the node is empty and exists only for its descendants.
  var isPlaceholder: Bool {
    guard type == nil, hasAttributes, let attributes = try? attributes() else { return false }
    return attributes[EngineAttribute.placeholder] == .bool(true)
  }
}
