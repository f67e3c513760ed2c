/// The content of an archive as a table writes it down: what the bytes and the JSON form are both made from.
struct Draft: Sendable {
  var minorVersion = 0
  /// All header entries; those registered as volatile find their place by themselves.
  var header: DraftEntries = [:]
  var application: DraftEntries = [:]
  /// Bytes in place of the state record of the empty path.
  var applicationRecord: [Part]?
  var nodes: [DraftNode] = []
  /// The origins that nodes refer to, in any order.
  var origins: [DraftOrigin] = []
  var sections: [DraftSection] = []
  /// Keys that only raw bytes use, for the key table.
  var rawKeys: [String] = []
  /// Whether each node record and each entry of state stands on one line of the `.hex` source.
  var isCompact = false

  /// The header keys that the registry marks as volatile.
  static let volatileKeys: Set<String> = ["systemVersion", "timestamp", "writer"]
}
