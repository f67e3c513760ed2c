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
    } catch DecodingError.keyNotFound(let key, let context) {
      var missing = AbsentField(path: context.codingPath + [key], error: DecodingError.keyNotFound(key, context))
      var state = ArchiveDictionary()
      for key in allKeys { state[key] = try value(forKey: key) }
      let defaults = try Self.state(of: defaultValue(), userInfo: userInfo)
      // Each iteration adds a field, so the number of iterations is bounded by the number of fields.
      while missing.fill(&state, from: defaults) {
        do {
          return try decoder(of: state).decodeState(type)
        } catch DecodingError.keyNotFound(let key, let context) {
          missing = AbsentField(path: context.codingPath + [key], error: DecodingError.keyNotFound(key, context))
        }
      }
      throw missing.error
    }
  }

  private static func state(of value: some Encodable, userInfo: [CodingUserInfoKey: Any]) throws -> ArchiveDictionary {
    let writer = ArchiveWriter(userInfo: userInfo)
    try writer.encodeApplicationState { try $0.encodeState(value) }
    return try ArchiveReader(writer.finish()).application().state()
  }

  /// Returns a decoder for another state of the same node.
  private func decoder(of state: ArchiveDictionary) throws -> StateDecoder {
    let writer = ArchiveWriter(header: header)
    var node: ArchiveWriter.Node?
    for identifier in path.components { node = try writer.addNode(identifier, under: node) }
    try writer.encode(state, of: node)
    let archive = try ArchiveReader(writer.finish())
    let copy = try path.isEmpty ? archive.application().decoder() : archive.decoder(at: path)
    return try copy.with(userInfo: userInfo)
  }
}

/// A field that decoding did not find.
private struct AbsentField {
  /// The coding path to the field.
  let path: [any CodingKey]
  let error: DecodingError

  /// Copies the field's value from `defaults` into a state.
  ///
  /// - Returns: Whether `defaults` has the field and the state lacked it.
  func fill(_ state: inout ArchiveDictionary, from defaults: ArchiveDictionary) -> Bool {
    let keys = path.map(\.stringValue)
    guard let filled = Self.fill(state, keys[...], from: defaults) else { return false }
    state = filled
    return true
  }

  private static func fill(_ state: ArchiveDictionary, _ keys: ArraySlice<String>, from defaults: ArchiveDictionary) -> ArchiveDictionary? {
    guard let key = keys.first, let value = defaults[key] else { return nil }
    var state = state
    if keys.count == 1 {
      guard state.entry(forKey: key) == nil else { return nil }
      state[key] = value
      return state
    }
    guard case .dictionary(let inner)? = state[key], case .dictionary(let innerDefaults) = value,
      let filled = fill(inner, keys.dropFirst(), from: innerDefaults)
    else { return nil }
    state[key] = .dictionary(filled)
    return state
  }
}
