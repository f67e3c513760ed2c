/// An ancillary section as written in a table.
struct DraftSection: Sendable {
  var code: String
  var bytes: [UInt8]
  /// The content in the JSON form's encoding.
  var base64: String
}
