/// A measured operation, named after its use.
enum Operation: String, CaseIterable {
  case encode
  case encodeAnew = "encode-anew"
  case decode
  case untypedWrite = "untyped-write"
  case untypedRead = "untyped-read"
  case firstValue = "first-value"
  case check
  case codableEncode = "codable-encode"
  case codableDecode = "codable-decode"
  case savePause = "save-pause"
  case durableSave = "durable-save"
  case preserve, restore, launch
  case saveOne = "save-one"
  case saveEdits = "save-edits"
  case loadChain = "load-chain"
  case size, memory

  /// A one-line description for `--help`.
  var summary: String {
    switch self {
    case .encode: "encode a tree: keyed calls against Codable models, encoders kept from run to run"
    case .encodeAnew: "the same with a new encoder for each run"
    case .decode: "decode a tree to typed values: keyed calls against Codable models"
    case .untypedWrite: "write a tree of untyped values that is in memory"
    case .untypedRead: "read a tree to untyped values"
    case .firstValue: "open a file and read one string of one deep node"
    case .check: "apply every check of the format to an archive"
    case .codableEncode: "encode 1,000 structs of 12 fields, Codable against Codable"
    case .codableDecode: "decode them, Codable against Codable"
    case .savePause: "the pause of a caller that saves: encode and submit to the queue"
    case .durableSave: "write finished bytes so that they survive a loss of power"
    case .preserve: "preserve live objects by the engine"
    case .restore: "restore live objects by the engine"
    case .launch: "open the store, load, verify, restore live objects; by phase"
    case .saveOne: "change one of the live objects and save it to the disk; by phase"
    case .saveEdits: "the bytes written for 1,000 single edits, each saved"
    case .loadChain: "load a chain of the greatest length, against its base"
    case .size: "the length of the encoded form"
    case .memory: "growth of resident memory at the peak, each in a process of its own"
    }
  }

  /// Whether the cost per byte should be independent of the size.
  var isLinear: Bool {
    switch self {
    case .encode, .decode, .check: true
    default: false
    }
  }

  /// Returns the loads on which the operation is measured, for the chosen sizes.
  func loads(_ sizes: [WorkloadSize]) -> [Load] {
    switch self {
    case .codableEncode, .codableDecode: [.records]
    case .savePause: sizes.contains(.small) ? [.small] : []
    case .size: sizes.map { Load($0) } + [.records]
    case .saveEdits: sizes.contains(.medium) ? [.medium] : []
    // The links of a small archive are folded when they reach its length, long before their greatest number.
    case .loadChain: sizes.filter { $0 != .small }.map { Load($0) }
    default: sizes.map { Load($0) }
    }
  }
}
