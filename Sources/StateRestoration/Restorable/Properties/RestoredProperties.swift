public import RestorationArchive

/// The properties of an object marked with ``Restored`` and ``RestoredChildren``, including those of its superclasses.
struct RestoredProperties {
  private(set) var all: [(key: String, property: any RestoredProperty)] = []
  private var others: [any ReportingProperty] = []

  /// Finds the properties of an object.
  ///
  /// - Throws: ``RestorationError`` if two properties have the same key or one has no name.
  init(of object: AnyObject, at path: RestorationPath) throws {
    var mirror: Mirror? = Mirror(reflecting: object)
    while let current = mirror {
      for child in current.children {
        guard let property = child.value as? any RestoredProperty else {
          if let other = child.value as? any ReportingProperty { others.append(other) }
          continue
        }
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

  /// Directs future changes of all properties to `changes`, as changes of `object`.
  ///
  /// If `changes` is nil, no captures of changes follow, and the properties report where they did before.
  func claim(for changes: ChangeTracking?, by object: AnyObject) {
    guard let changes else { return }
    let owner = ObjectIdentifier(object)
    for (_, property) in all { property.claim(for: changes.signal, by: owner) }
    for property in others { property.claim(for: changes.signal, by: owner) }
    changes.lastClaimed = owner
  }

  /// Whether the object has properties that report when they are set.
  var reportChanges: Bool { !all.isEmpty || !others.isEmpty }
}

extension StateEncoder {
  /// Encodes the properties of an object marked with ``Restored``, including those of its superclasses.
  ///
  /// - Throws: The error of a property that cannot be encoded; ``RestorationError`` if two properties have the same key
  ///   or one has no name.
  public func encodeRestoredProperties(of object: AnyObject) throws {
    let properties = try RestoredProperties(of: object, at: path)
    properties.claim(for: changes, by: object)
    for (key, property) in properties.all { try property.encode(with: self, key: key) }
  }
}

extension StateDecoder {
  /// Decodes the properties of an object marked with ``Restored``; properties missing from the archive keep their
  /// values.
  ///
  /// - Throws: The error of the first property that cannot be decoded, after all others have been decoded;
  ///   ``RestorationError`` if two properties have the same key or one has no name.
  public func decodeRestoredProperties(of object: AnyObject) throws {
    var failure: (any Error)?
    let properties = try RestoredProperties(of: object, at: path)
    properties.claim(for: changes, by: object)
    for (key, property) in properties.all {
      do {
        try property.decode(with: self, key: key)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}

extension Restorable {
  /// Encodes the properties marked with ``Restored``.
  ///
  /// - Throws: The error of a property that cannot be encoded; ``RestorationError`` if two properties have the same key
  ///   or one has no name.
  public func encodeRestoredProperties(with coder: StateEncoder) throws {
    try coder.encodeRestoredProperties(of: self)
  }

  /// Decodes the properties marked with ``Restored``; properties missing from the archive keep their values.
  ///
  /// - Throws: The error of the first property that cannot be decoded, after all others have been decoded;
  ///   ``RestorationError`` if two properties have the same key or one has no name.
  public func decodeRestoredProperties(with coder: StateDecoder) throws {
    try coder.decodeRestoredProperties(of: self)
  }
}
