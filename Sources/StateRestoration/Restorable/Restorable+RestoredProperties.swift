public import RestorationArchive

extension Restorable {
  /// Encodes the properties that are marked with ``Restored``.
  ///
  /// - Throws: What encoding one of them throws; ``RestorationError`` if two have the same key or one has no name.
  public func encodeRestoredProperties(with coder: StateEncoder) throws {
    for (key, property) in try restoredProperties(at: coder.path) { try property.encode(with: coder, key: key) }
  }

  /// Decodes the properties that are marked with ``Restored``; those that the archive does not have keep their value.
  ///
  /// - Throws: What decoding one of them throws, when all others have been decoded; ``RestorationError`` as for encoding.
  public func decodeRestoredProperties(with coder: StateDecoder) throws {
    var failure: (any Error)?
    for (key, property) in try restoredProperties(at: coder.path) {
      do {
        try property.decode(with: coder, key: key)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func restoredProperties(at path: RestorationPath) throws -> [(key: String, property: any RestoredProperty)] {
    var properties: [(key: String, property: any RestoredProperty)] = []
    var mirror: Mirror? = Mirror(reflecting: self)
    while let current = mirror {
      for child in current.children {
        guard let property = child.value as? any RestoredProperty else { continue }
        // The storage of `@Restored var count` is called `_count`.
        guard let key = property.fixedKey ?? child.label.map({ String($0.drop { $0 == "_" }) }), !key.isEmpty else {
          throw RestorationError(.propertyKey, path: path, "a restored property has no name; give it a key: @Restored(\"key\")")
        }
        guard !properties.contains(where: { $0.key.isSameText(as: key) }) else {
          throw RestorationError(.propertyKey, path: path, "two restored properties have the key \(key.quotedForDisplay)")
        }
        properties.append((key, property))
      }
      mirror = current.superclassMirror
    }
    return properties
  }
}
