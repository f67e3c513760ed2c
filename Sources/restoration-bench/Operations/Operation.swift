import Foundation
import RestorationArchive
import StateRestoration

/// A measured operation, named after its use.
enum Operation: String, CaseIterable {
  case encode
  case decode
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
    case .decode: "decode a tree to typed values: keyed calls against Codable models"
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
  var isLinear: Bool { [.encode, .decode, .check].contains(self) }

  /// Whether one object is changed and saved.
  var isSaveOfOneChange: Bool { [.saveOne, .changeSilent, .changeRestored, .changePromised].contains(self) }

  /// Returns the loads on which the operation is measured, for the chosen sizes.
  func loads(_ sizes: [Load]) -> [Load] {
    switch self {
    case .codableEncode, .codableDecode: [.records]
    case .savePause, .scenes: sizes.contains(.small) ? [.small] : []
    case .size: sizes + [.records]
    case .saveEdits: sizes.contains(.medium) ? [.medium] : []
    // The links of a small archive are folded when they reach its length, long before their greatest number.
    case .loadChain: sizes.filter { $0 != .small }
    default: sizes
    }
  }
}

extension Operation {
  /// Returns a trial for each contender; empty if the operation is not timed.
  func trials(_ material: Material) throws -> [Trial] {
    let trials = try contenders(material)
    guard isLinear, let small = material.small else { return trials }
    return try trials + contenders(small).filter { $0.contender == .archive }.map { $0.renamed(.onSmall) }
  }

  /// Returns the launch or save; nil for operations without phases.
  func journey(_ material: Material) throws -> Journey? {
    switch self {
    case .launch:
      let app = try LaunchingApp(material) { BenchObject($0) }
      return Journey { try app.launch() }
    case .launchRestored:
      let app = try LaunchingApp(material) { RestoredObject($0) }
      return Journey { try app.launch() }
    case .saveOne:
      let (app, turning) = (try ChangingApp(material) { BenchObject($0) }, try TurningApp(material))
      return Journey(run: { try app.changeAndSave() + turning.turn() }, writtenBytes: { try app.writtenBytes() })
    case .changeSilent: return try change(material) { SilentObject($0) }
    case .changeRestored: return try change(material) { RestoredObject($0) }
    case .changePromised: return try change(material) { PromisingObject($0) }
    case .scenes:
      let app = try ScenesApp(material)
      return Journey { try app.open() }
    default: return nil
    }
  }

  private func change<Object: LiveObject>(_ material: Material, _ create: (String) -> Object) throws -> Journey
  where Object.Child == Object {
    let app = try ChangingApp(material, create)
    return Journey(run: { try app.changeAndSave() }, writtenBytes: { try app.writtenBytes() })
  }

  private func contenders(_ material: Material) throws -> [Trial] {
    switch self {
    case .encode: try encodeTrials(material)
    case .decode: try decodeTrials(material)
    case .untypedRead: try untypedReadTrials(material)
    case .firstValue: try firstValueTrials(material)
    case .check: try checkTrials(material)
    case .codableEncode: try codableEncodeTrials(material)
    case .codableDecode: try codableDecodeTrials(material)
    case .savePause: try savePauseTrials(material)
    case .durableSave: try durableSaveTrials(material)
    case .preserve: try preserveTrials(material)
    case .restore: try restoreTrials(material)
    case .loadChain: try loadChainTrials(material)
    case .launch, .launchRestored, .saveOne, .changeSilent, .changeRestored, .changePromised, .saveEdits, .scenes, .size, .memory: []
    }
  }

  // MARK: The tree

  private func encodeTrials(_ material: Material) throws -> [Trial] {
    let workload = material.workload
    let roots = workload.roots
    let archive = [UInt8](try material.archive.get())
    let writer = ArchivePeer.makeWriter(for: workload)
    let (encoder, jsonEncoder, naiveCount) = (FoundationPeers.propertyListEncoder(), JSONEncoder(), material.naive.count)
    return [
      Trial(contender: .archive, byteCount: archive.count) { consume(try ArchivePeer.encodeAgain(workload, with: writer)) },
      Trial(contender: .propertyList) { consume(try encoder.encode(roots)) },
      Trial(contender: .json) { consume(try jsonEncoder.encode(roots)) },
      Trial(contender: .naive, byteCount: naiveCount) { consume(NaiveWriter.encode(roots, capacity: naiveCount)) },
    ]
  }

  private func decodeTrials(_ material: Material) throws -> [Trial] {
    let (archive, propertyList, json) = ([UInt8](try material.archive.get()), try material.propertyList.get(), try material.json.get())
    let (shapes, naive) = (material.workload.shapes, material.naive)
    return [
      Trial(contender: .archive, byteCount: archive.count) { consume(try ArchivePeer.decode(archive, as: shapes)) },
      Trial(contender: .propertyList) { consume(try FoundationPeers.decodePropertyList(propertyList, as: shapes)) },
      Trial(contender: .json) { consume(try FoundationPeers.decodeJSON(json, as: shapes)) },
      Trial(contender: .naive, byteCount: naive.count) { consume(try NaiveReader.decode(naive)) },
    ]
  }

  private func untypedReadTrials(_ material: Material) throws -> [Trial] {
    let archive = [UInt8](try material.archive.get())
    return [Trial(contender: .archive, byteCount: archive.count) { consume(try ArchiveTree(decoding: ArchiveReader(archive))) }]
  }

  private func firstValueTrials(_ material: Material) throws -> [Trial] {
    let workload = material.workload
    let (file, propertyList, json) = (
      try material.archiveFile.get(), try material.propertyListFile.get(), try material.jsonFile.get()
    )
    return [
      Trial(contender: .archive) { consume(try ArchivePeer.firstValue(of: file, workload)) },
      Trial(contender: .propertyList) { consume(try FoundationPeers.firstValueOfPropertyList(propertyList, of: workload)) },
      Trial(contender: .json) { consume(try FoundationPeers.firstValueOfJSON(json, of: workload)) },
    ]
  }

  private func checkTrials(_ material: Material) throws -> [Trial] {
    let archive = [UInt8](try material.archive.get())
    return [Trial(contender: .archive, byteCount: archive.count) { consume(ArchiveCheck(archive)) }]
  }

  // MARK: Codable against Codable

  // All contenders use a new encoder or decoder for each run.

  private func codableEncodeTrials(_ material: Material) throws -> [Trial] {
    let records = material.records
    return [
      Trial(contender: .archive, byteCount: try material.recordsArchive.get().count) { consume(try ArchivePeer.encode(records)) },
      Trial(contender: .propertyList) { consume(try FoundationPeers.propertyListEncoder().encode(records)) },
      Trial(contender: .json) { consume(try JSONEncoder().encode(records)) },
    ]
  }

  private func codableDecodeTrials(_ material: Material) throws -> [Trial] {
    let archive = [UInt8](try material.recordsArchive.get())
    let (propertyList, json) = (try material.recordsPropertyList.get(), try material.recordsJSON.get())
    return [
      Trial(contender: .archive, byteCount: archive.count) { consume(try ArchivePeer.decodeRecords(archive)) },
      Trial(contender: .propertyList) { consume(try PropertyListDecoder().decode([CodableRecord].self, from: propertyList)) },
      Trial(contender: .json) { consume(try JSONDecoder().decode([CodableRecord].self, from: json)) },
    ]
  }

  // MARK: Saving and the engine

  private func savePauseTrials(_ material: Material) throws -> [Trial] {
    let app = try SavingApp(material.workload, folder: material.newFolder("busy"))
    let restingApp = try SavingApp(material.workload, folder: material.newFolder("resting"))
    return [
      // The empty preparation makes the stopwatch time each pause separately.
      Trial(contender: .archive, prepare: {}) { try app.save() },
      Trial(contender: .rested, prepare: { try restingApp.rest() }) { try restingApp.save() },
    ]
  }

  private func durableSaveTrials(_ material: Material) throws -> [Trial] {
    let archive = try material.archive.get()
    let file = material.folder.appendingPathComponent("saved.rsta").path
    let bare = material.folder.appendingPathComponent("bare.rsta").path
    return [
      Trial(contender: .archive, byteCount: archive.count, clock: .wall) {
        try ArchiveFile.write(archive, to: file, replacement: .allowed)
      },
      Trial(contender: .bareWrite, byteCount: archive.count, clock: .wall) { try BareWrite.write(archive, to: bare) },
    ]
  }

  private func preserveTrials(_ material: Material) throws -> [Trial] {
    let (root, count) = (material.liveTree, material.liveCount)
    let application = RestorableTree(roots: [root])
    try application.startFresh()
    let writer = ArchiveWriter(expectedNodeCount: count)
    return [
      Trial(contender: .archive) { consume(try LiveTree.preserve(application)) },
      Trial(contender: .bareCoder) { consume(try LiveTree.encodeAgain(root, with: writer)) },
    ]
  }

  private func loadChainTrials(_ material: Material) throws -> [Trial] {
    // The longest chain that a store keeps: one link fewer than triggers folding.
    let chain = try RestorationStore.edited(material, edits: StoreLimits().links - 1)
    let base = try RestorationStore.edited(material, edits: 0)
    return [
      Trial(contender: .archive, clock: .wall) { consume(try chain.newest()) },
      Trial(contender: .base, clock: .wall) { consume(try base.newest()) },
    ]
  }

  private func restoreTrials(_ material: Material) throws -> [Trial] {
    let archive = try ArchiveReader(material.liveArchive.get())
    return [
      Trial(contender: .archive) { consume(try LiveTree.restore(archive)) },
      Trial(contender: .bareCoder) { consume(try LiveTree.decode(below: archive.application())) },
    ]
  }
}
