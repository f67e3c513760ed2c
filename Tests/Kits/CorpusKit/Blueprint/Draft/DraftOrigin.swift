/// An origin as written in a table (Spec 3.4).
struct DraftOrigin: Sendable {
  var bundleVersion: String?
  /// The bits of the timestamp's float64, with the JSON text of the date.
  var timestamp: (bits: UInt64, json: String)?
  var sessionsCarried = 0

  init(bundleVersion: String? = nil, timestamp: (seconds: Double, json: String)? = nil, sessionsCarried: Int = 0) {
    self.bundleVersion = bundleVersion
    self.timestamp = timestamp.map { ($0.seconds.bitPattern, $0.json) }
    self.sessionsCarried = sessionsCarried
  }

  /// The bytes of the origin in the metadata (Spec 4.3.3).
  var bytes: [UInt8] {
    var bytes: [UInt8] = [(bundleVersion == nil ? 0 : 1) | (timestamp == nil ? 0 : 2)]
    if let bundleVersion { bytes += Bytes.string(bundleVersion) }
    if let timestamp { bytes += Bytes.u64(timestamp.bits) }
    return bytes + Bytes.varint(sessionsCarried)
  }
}
