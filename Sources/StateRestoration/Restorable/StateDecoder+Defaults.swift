public import RestorationArchive

extension StateDecoder {
  /// Decodes the entire state as one `Codable` type, and fills missing fields from a default value.
  ///
  /// A build that adds a field can therefore read the state of older builds: the field gets its value from
  /// `defaultValue`. This also applies to fields of nested values, but not to array elements. A value that exists but
  /// cannot be decoded is an error.
  ///
  /// - Parameters:
  ///   - type: The type of the state.
  ///   - defaultValue: Provides the values of missing fields. It is only encoded if a field is missing.
  /// - Returns: The state.
  /// - Throws: The errors of the type's own decoding, and `DecodingError.keyNotFound` for a field that `defaultValue`
  ///   does not encode either.
  public func decodeState<Value: Codable>(_ type: Value.Type = Value.self, default defaultValue: @autoclosure () -> Value) throws -> Value {
    do {
      return try decodeState(type)
    } catch DecodingError.keyNotFound {
      let writer = ArchiveWriter(userInfo: userInfo)
      let value = defaultValue()
      try writer.encodeApplicationState { try $0.encodeState(value) }
      return try decodeState(type, defaults: ArchiveReader(writer.finish()).application().decoder().with(userInfo: userInfo))
    }
  }
}
