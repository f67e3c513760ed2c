/// What is measured, named after use.
enum Operation: String, CaseIterable {
  case encode, decode
  case firstValue = "first-value"
  case check
  case codableEncode = "codable-encode"
  case codableDecode = "codable-decode"
  case savePause = "save-pause"
  case durableSave = "durable-save"
  case preserve, restore
  case size, memory

  /// What it is, for `--help`.
  var summary: String {
    switch self {
    case .encode: "encode a tree by keyed calls, walking the model included"
    case .decode: "decode all of a tree to ordered values"
    case .firstValue: "open a file and read one string of one deep node"
    case .check: "apply every check of the format to an archive"
    case .codableEncode: "encode 1,000 structs of 12 fields through Codable"
    case .codableDecode: "decode them through Codable"
    case .savePause: "what a caller waits for when it saves: encoding and handing the bytes over"
    case .durableSave: "write sealed bytes so that they survive a loss of power"
    case .preserve: "preserve live objects through the engine"
    case .restore: "restore live objects through the engine"
    case .size: "how long the encoded form is"
    case .memory: "how much more memory is resident at the peak, each in a process of its own"
    }
  }

  /// Whether a byte is to cost the same on every size.
  var isHeldLinear: Bool {
    switch self {
    case .encode, .decode, .check: true
    default: false
    }
  }

  /// What it is measured on, where these sizes are asked for.
  func loads(_ sizes: [WorkloadSize]) -> [Load] {
    switch self {
    case .codableEncode, .codableDecode: [.records]
    case .savePause: sizes.contains(.small) ? [.small] : []
    default: sizes.map { Load($0) }
    }
  }
}
