public import RestorationArchive

extension StateEncoder {
  /// Encodes the properties of an object marked with ``Restored``, including those of its superclasses.
  ///
  /// - Throws: The error of a property that cannot be encoded; ``RestorationError`` if two properties have the same key
  ///   or one has no name.
  public func encodeRestoredProperties(of object: AnyObject) throws {
    let signal = changes?.signal
    for (key, property) in try RestoredProperties(of: object, at: path).all {
      property.claim(for: signal)
      try property.encode(with: self, key: key)
    }
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
    let signal = changes?.signal
    for (key, property) in try RestoredProperties(of: object, at: path).all {
      property.claim(for: signal)
      do {
        try property.decode(with: self, key: key)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}
