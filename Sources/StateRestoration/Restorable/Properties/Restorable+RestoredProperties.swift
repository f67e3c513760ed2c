public import RestorationArchive

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
