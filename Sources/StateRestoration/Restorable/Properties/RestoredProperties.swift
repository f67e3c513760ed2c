import RestorationArchive

/// The properties of an object marked with ``Restored``, including those of its superclasses.
struct RestoredProperties {
  private(set) var all: [(key: String, property: any RestoredProperty)] = []

  /// Finds the properties of an object.
  ///
  /// - Throws: ``RestorationError`` if two properties have the same key or one has no name.
  init(of object: AnyObject, at path: RestorationPath) throws {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
      for child in current.children {
        guard let property = child.value as? any RestoredProperty else { continue }
        // The storage of `@Restored var count` is called `_count`.
        guard let key = property.fixedKey ?? child.label.map({ String($0.drop { $0 == "_" }) }), !key.isEmpty else {
          throw RestorationError(.propertyKey, path: path, "a restored property has no name; give it a key: @Restored(\"key\")")
        }
        guard !all.contains(where: { $0.key.isSameText(as: key) }) else {
          throw RestorationError(.propertyKey, path: path, "two restored properties have the key \(key.quotedForDisplay)")
        }
        all.append((key, property))
      }
      mirror = current.superclassMirror
    }
  }
}
