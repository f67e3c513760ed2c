/// A node as written in a table, with its children in saved order.
struct DraftNode: Sendable {
  var identifier: String
  var type: String?
  var schema = 0
  /// The origin: 0 for this save, k for the k-th origin of the draft.
  var origin = 0
  var provider: DraftProvider?
  var attributes: DraftEntries = [:]
  var state: DraftEntries = [:]
  /// Bytes that replace the whole state record.
  var record: [Part]?
  var children: [DraftNode] = []

  init(
    _ identifier: String, type: String? = nil, schema: Int = 0, origin: Int = 0, provider: DraftProvider? = nil,
    attributes: DraftEntries = [:], state: DraftEntries = [:], record: [Part]? = nil, children: [DraftNode] = []
  ) {
    self.identifier = identifier
    self.type = type
    self.schema = schema
    self.origin = origin
    self.provider = provider
    self.attributes = attributes
    self.state = state
    self.record = record
    self.children = children
  }
}
