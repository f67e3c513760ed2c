/// The content of an archive as written in a table; the source of both the bytes and the JSON form.
struct Draft: Sendable {
  var minorVersion = 0
  /// All header entries; entries registered as volatile are placed in the volatile header.
  var header: DraftEntries = [:]
  var application: DraftEntries = [:]
  /// Bytes that replace the state record of the empty path.
  var applicationRecord: [Part]?
  var nodes: [DraftNode] = []
  /// The origins of the nodes, in any order.
  var origins: [DraftOrigin] = []
  var sections: [DraftSection] = []
  /// Keys for the key table that only raw bytes use.
  var rawKeys: [String] = []
  /// Whether the `.hex` source has one line for each node record and each state entry.
  var isCompact = false

  /// The header keys that the registry marks as volatile.
  static let volatileKeys: Set<String> = ["systemVersion", "timestamp", "writer"]
}
