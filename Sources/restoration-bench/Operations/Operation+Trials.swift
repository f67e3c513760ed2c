import Foundation
import StateRestoration

extension Operation {
  /// The contenders with what each of them does; none for what is not timed.
  func trials(_ material: Material) throws -> [Trial] {
    let trials = try contenders(material)
    guard isHeldLinear, let small = material.small else { return trials }
    return try trials + contenders(small).filter { $0.contender == .archive }.map { $0.renamed(.onSmall) }
  }

  private func contenders(_ material: Material) throws -> [Trial] {
    switch self {
    case .encode: try encodeTrials(material)
    case .decode: try decodeTrials(material)
    case .firstValue: try firstValueTrials(material)
    case .check: try checkTrials(material)
    case .codableEncode: try codableEncodeTrials(material)
    case .codableDecode: try codableDecodeTrials(material)
    case .savePause: try savePauseTrials(material)
    case .durableSave: try durableSaveTrials(material)
    case .preserve: try preserveTrials(material)
    case .restore: try restoreTrials(material)
    case .size, .memory: []
    }
  }

  private func encodeTrials(_ material: Material) throws -> [Trial] {
    let workload = material.workload
    let archive = [UInt8](try material.archive.get())
    let writer = ArchivePeer.makeWriter(for: workload)
    let (encoder, jsonEncoder) = (FoundationPeers.propertyListEncoder(), JSONEncoder())
    var trials = [
      Trial(contender: .archive, byteCount: archive.count) { consume(try ArchivePeer.encodeAgain(workload, with: writer)) },
      Trial(contender: .newWriter, byteCount: archive.count) { consume(try ArchivePeer.encode(workload)) },
      Trial(contender: .propertyList) { consume(try encoder.encode(workload.roots)) },
      Trial(contender: .json) { consume(try jsonEncoder.encode(workload.roots)) },
      Trial(contender: .walk, byteCount: archive.count) { consume(ModelWalk.walk(workload)) },
      Trial(contender: .copy, byteCount: archive.count, clock: .wall) { consume(MemoryCopy.copy(archive)) },
    ]
    if material.load == .small { trials.append(Trial(contender: .keyedArchiver) { consume(try KeyedArchiverPeer.encode(workload)) }) }
    return trials
  }

  private func decodeTrials(_ material: Material) throws -> [Trial] {
    let archive = [UInt8](try material.archive.get())
    let propertyList = try material.propertyList.get()
    let json = try material.json.get()
    let workload = material.workload
    var trials = [
      Trial(contender: .archive, byteCount: archive.count) { consume(try ArchivePeer.decode(archive)) },
      Trial(contender: .propertyList) { consume(try PropertyListDecoder().decode([BenchNode].self, from: propertyList)) },
      Trial(contender: .json) { consume(try JSONDecoder().decode([BenchNode].self, from: json)) },
      Trial(contender: .copy, byteCount: archive.count, clock: .wall) { consume(MemoryCopy.copy(archive)) },
    ]
    if material.load == .small {
      let archives = try material.keyedArchives.get()
      trials.append(Trial(contender: .keyedArchiver) { try KeyedArchiverPeer.decode(archives, of: workload) })
    }
    return trials
  }

  private func firstValueTrials(_ material: Material) throws -> [Trial] {
    let file = try material.archiveFile.get().path
    let probe = material.workload.probe
    let path = try RestorationPath(components: probe.path)
    return [
      Trial(contender: .archive) {
        consume(try ArchiveReader(contentsOfFile: file).decoder(at: path).decode(String.self, forKey: probe.key))
      }
    ]
  }

  private func checkTrials(_ material: Material) throws -> [Trial] {
    let archive = [UInt8](try material.archive.get())
    return [
      Trial(contender: .archive, byteCount: archive.count) { consume(ArchiveCheck(archive)) },
      Trial(contender: .copy, byteCount: archive.count, clock: .wall) { consume(MemoryCopy.copy(archive)) },
    ]
  }

  private func codableEncodeTrials(_ material: Material) throws -> [Trial] {
    let records = material.records
    let encoder = FoundationPeers.propertyListEncoder()
    return [
      Trial(contender: .archive, byteCount: try material.recordsArchive.get().count) { consume(try ArchivePeer.encode(records)) },
      Trial(contender: .propertyList) { consume(try encoder.encode(records)) },
      Trial(contender: .json) { consume(try JSONEncoder().encode(records)) },
    ]
  }

  private func codableDecodeTrials(_ material: Material) throws -> [Trial] {
    let archive = [UInt8](try material.recordsArchive.get())
    let propertyList = try material.recordsPropertyList.get()
    let json = try material.recordsJSON.get()
    return [
      Trial(contender: .archive, byteCount: archive.count) { consume(try ArchivePeer.decodeRecords(archive)) },
      Trial(contender: .propertyList) { consume(try PropertyListDecoder().decode([CodableRecord].self, from: propertyList)) },
      Trial(contender: .json) { consume(try JSONDecoder().decode([CodableRecord].self, from: json)) },
    ]
  }

  private func savePauseTrials(_ material: Material) throws -> [Trial] {
    let app = try SavingApp(material.workload, folder: material.folder.appendingPathComponent("busy"))
    let restingApp = try SavingApp(material.workload, folder: material.folder.appendingPathComponent("resting"))
    return [
      // With nothing to prepare, so that each pause is timed by itself.
      Trial(contender: .archive, prepare: {}) { try app.save() },
      Trial(contender: .rested, prepare: { restingApp.rest() }) { try restingApp.save() },
    ]
  }

  private func durableSaveTrials(_ material: Material) throws -> [Trial] {
    let archive = try material.archive.get()
    let file = material.folder.appendingPathComponent("saved.rsta").path
    let bare = material.folder.appendingPathComponent("bare.rsta").path
    return [
      Trial(contender: .archive, byteCount: archive.count, clock: .wall) { try DurableSave.save(archive, to: file) },
      Trial(contender: .bareWrite, byteCount: archive.count, clock: .wall) { try BareWrite.write(archive, to: bare) },
    ]
  }

  private func preserveTrials(_ material: Material) throws -> [Trial] {
    let (root, count) = (material.liveTree, material.liveCount)
    let application = RestorableApplication(roots: [root])
    try application.startFresh()
    let writer = ArchiveWriter(expectedNodeCount: count)
    return [
      Trial(contender: .archive) { consume(try LiveTree.preserve(application)) },
      Trial(contender: .bareCoder) { consume(try LiveTree.encodeAgain(root, with: writer)) },
    ]
  }

  private func restoreTrials(_ material: Material) throws -> [Trial] {
    let archive = try ArchiveReader(LiveTree.encode(material.liveTree, count: material.liveCount))
    return [
      Trial(contender: .archive) { consume(try LiveTree.restore(archive)) },
      Trial(contender: .bareCoder) { consume(try LiveTree.decode(below: archive.application())) },
    ]
  }
}
