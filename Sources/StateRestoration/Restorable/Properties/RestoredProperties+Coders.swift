public import RestorationArchive

extension StateEncoder {
  /// Encodes the properties of an object that are marked with ``Restored``, those of its superclasses included.
  ///
  /// - Throws: What encoding one of them throws; ``RestorationError`` if two have the same key or one has no name.
  public func encodeRestoredProperties(of object: AnyObject) throws {
    let signal = changes?.signal
    for (key, property) in try RestoredProperties(of: object, at: path).all {
      property.claim(for: signal)
      try property.encode(with: self, key: key)
    }
  }
}

extension StateDecoder {
  /// Decodes the properties of an object that are marked with ``Restored``; those that the archive does not have keep their value.
  ///
  /// - Throws: What decoding one of them throws, when all others have been decoded; ``RestorationError`` as for encoding.
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
