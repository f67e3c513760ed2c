import FoundationValues

extension UUID {
  /// Creates a UUID from its bytes.
  ///
  /// - Precondition: There are 16.
  init(bytes: [UInt8]) {
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10], bytes[11],
        bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// The sixteen bytes, in the order of the text.
  var bytes: [UInt8] {
    let bytes = uuid
    return [
      bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7, bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13,
      bytes.14, bytes.15,
    ]
  }
}
