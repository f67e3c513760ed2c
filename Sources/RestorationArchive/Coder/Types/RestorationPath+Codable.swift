extension RestorationPath: Codable {
  /// Decodes a reference from an archive, or the text form from other formats.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let reader = container as? SingleValueReader {
      self = try reader.decodeReference()
    } else {
      let text = try container.decode(String.self)
      do {
        try self.init(parsing: text)
      } catch {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(error)")
      }
    }
  }

  /// Encodes a reference in an archive, or the text form in other formats.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let writer = container as? SingleValueWriter {
      try writer.encode(reference: self)
    } else {
      try container.encode(description)
    }
  }
}
