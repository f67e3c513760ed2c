/// An ancillary section as a table writes it down.
struct DraftSection: Sendable {
  var code: String
  var bytes: [UInt8]
  /// The bytes as the JSON form writes them.
  var base64: String
}
