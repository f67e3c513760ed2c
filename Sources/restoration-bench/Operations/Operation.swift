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
  case launchRestored = "launch-restored"
  case saveOne = "save-one"
  case changeSilent = "change-silent"
  case changeRestored = "change-restored"
  case changePromised = "change-promised"
  case saveEdits = "save-edits"
  case loadChain = "load-chain"
  case scenes
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
    case .preserve: "preserve live objects with the engine, against keyed calls alone"
    case .restore: "restore live objects with the engine, against keyed calls alone"
    case .launch: "launch: open the store, load, verify and restore live objects; elapsed time by phase"
    case .launchRestored: "the same with objects of @Restored properties"
    case .saveOne: "change one live object and save it to disk; its class encodes by hand and promises to report changes"
    case .changeSilent: "the same without the promise"
    case .changeRestored: "the same with objects of @Restored properties, without the promise"
    case .changePromised: "the same with objects of @Restored properties, with the promise"
    case .saveEdits: "the bytes written for 1,000 single edits, each saved"
    case .loadChain: "load a chain of the greatest length, against its base"
    case .scenes: "open 125 and 1,000 saved scenes of 40 objects each, after a launch"
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

  /// Whether one object is changed and saved.
  var isSaveOfOneChange: Bool {
    switch self {
    case .saveOne, .changeSilent, .changeRestored, .changePromised: true
    default: false
    }
  }

  /// Returns the loads on which the operation is measured, for the chosen sizes.
  func loads(_ sizes: [WorkloadSize]) -> [Load] {
    switch self {
    case .codableEncode, .codableDecode: [.records]
    case .savePause, .scenes: sizes.contains(.small) ? [.small] : []
    case .size: sizes.map { Load($0) } + [.records]
    case .saveEdits: sizes.contains(.medium) ? [.medium] : []
    // The links of a small archive are folded when they reach its length, long before their greatest number.
    case .loadChain: sizes.filter { $0 != .small }.map { Load($0) }
    default: sizes.map { Load($0) }
    }
  }
}
