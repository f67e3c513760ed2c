public import RestorationArchive

extension Restorable {
  /// Encodes the properties that are marked with ``Restored``.
  ///
  /// - Throws: What encoding one of them throws; ``RestorationError`` if two have the same key or one has no name.
  public func encodeRestoredProperties(with coder: StateEncoder) throws {
    try coder.encodeRestoredProperties(of: self)
  }

  /// Decodes the properties that are marked with ``Restored``; those that the archive does not have keep their value.
  ///
  /// - Throws: What decoding one of them throws, when all others have been decoded; ``RestorationError`` as for encoding.
  public func decodeRestoredProperties(with coder: StateDecoder) throws {
    try coder.decodeRestoredProperties(of: self)
  }
}
