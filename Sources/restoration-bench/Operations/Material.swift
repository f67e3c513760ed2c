import Foundation
import RestorationArchive
import StateRestoration

/// A workload with its encoded forms, each created on first use.
final class Material {
  let load: Load
  /// The folder for temporary files.
  let folder: URL

  init(_ load: Load, folder: URL) {
    self.load = load
    self.folder = folder
  }

  /// The tree; for the workload of records, the small tree.
  private(set) lazy var workload = Workload(load)
  /// The small tree, the baseline for larger ones.
  private(set) lazy var small = load == .medium || load == .large ? Material(.small, folder: folder) : nil
  private(set) lazy var records = CodableRecord.workload()

  private(set) lazy var liveTree = LiveTree.make(liveCount)
  /// The number of live objects.
  var liveCount: Int { load.nodeCount }
  private(set) lazy var liveArchive = Result { try LiveTree.encode(liveTree, count: liveCount) }

  /// Returns a unique folder path for a measurement: another store may still hold its folder for a moment after its
  /// last save.
  func newFolder(_ name: String) -> URL { folder.appendingPathComponent("\(name)-\(UUID().uuidString)") }

  // MARK: Encoded forms

  private(set) lazy var archive = Result { try ArchivePeer.encode(workload) }
  private(set) lazy var propertyList = Result { try FoundationPeers.propertyListEncoder().encode(workload.roots) }
  private(set) lazy var json = Result { try JSONEncoder().encode(workload.roots) }
  private(set) lazy var naive = NaiveWriter.encode(workload.roots, capacity: 0)

  private(set) lazy var recordsArchive = Result { try ArchivePeer.encode(records) }
  private(set) lazy var recordsPropertyList = Result { try FoundationPeers.propertyListEncoder().encode(records) }
  private(set) lazy var recordsJSON = Result { try JSONEncoder().encode(records) }

  private(set) lazy var archiveFile = Result { try file("rsta", archive.get()) }
  private(set) lazy var propertyListFile = Result { try file("plist", propertyList.get()) }
  private(set) lazy var jsonFile = Result { try file("json", json.get()) }

  private func file(_ suffix: String, _ data: Data) throws -> URL {
    let file = folder.appendingPathComponent("\(load.rawValue).\(suffix)")
    try data.write(to: file)
    return file
  }

  // MARK: Comparing results

  private var verified: Set<Operation> = []

  /// Checks before timing that every contender of an operation gives the same values as the model; runs once per
  /// operation.
  func verify(_ operation: Operation) throws {
    guard verified.insert(operation).inserted else { return }
    switch operation {
    case .encode, .decode: try verifyTyped()
    case .untypedRead: try require(ArchiveTree(decoding: archive.get()).encoded() == archive.get(), "archive: untyped-read")
    case .firstValue: try verifyFirstValue()
    case .codableEncode, .codableDecode: try verifyRecords()
    case .check: try require(ArchiveCheck([UInt8](archive.get())).isValid, "archive: check")
    case .preserve, .restore: try verifyLive()
    // The journeys compare the restored values themselves; other operations have nothing to compare.
    default: break
    }
  }

  private var isTypedVerified = false

  private func verifyTyped() throws {
    guard !isTypedVerified else { return }
    isTypedVerified = true
    let (roots, shapes) = (workload.roots, workload.shapes)
    try require(ArchivePeer.decode([UInt8](archive.get()), as: shapes) == roots, "archive: decode")
    try require(FoundationPeers.decodePropertyList(propertyList.get(), as: shapes) == roots, "property-list: decode")
    try require(FoundationPeers.decodeJSON(json.get(), as: shapes) == roots, "json: decode")
    try require(NaiveReader.decode(naive) == roots, "naive: decode")
  }

  private func verifyFirstValue() throws {
    let value = try ArchivePeer.firstValue(of: archiveFile.get(), workload)
    try require(FoundationPeers.firstValueOfPropertyList(propertyListFile.get(), of: workload) == value, "property-list: first-value")
    try require(FoundationPeers.firstValueOfJSON(jsonFile.get(), of: workload) == value, "json: first-value")
  }

  private func verifyRecords() throws {
    try require(ArchivePeer.decodeRecords([UInt8](recordsArchive.get())) == records, "archive: codable-decode")
    let list = try PropertyListDecoder().decode([CodableRecord].self, from: recordsPropertyList.get())
    try require(list == records, "property-list: codable-decode")
    try require(JSONDecoder().decode([CodableRecord].self, from: recordsJSON.get()) == records, "json: codable-decode")
  }

  private func verifyLive() throws {
    let application = RestorableTree(roots: [liveTree])
    try application.startFresh()
    guard let preserved = try LiveTree.preserve(application) else { throw BenchError("archive: nothing was preserved") }
    for archive in [preserved, try liveArchive.get()] {
      let restored = try LiveTree.restore(ArchiveReader(archive))
      try require((restored.roots.first as? BenchObject)?.isSame(as: liveTree) ?? false, "archive: restore")
      let decoded = try LiveTree.decode(below: ArchiveReader(archive).application())
      try require(decoded.first?.isSame(as: liveTree) ?? false, "bare-coder: restore")
    }
  }

  private func require(_ isSame: Bool, _ name: String) throws {
    guard isSame else { throw BenchError("\(name) decodes values that differ from the model of workload \(load.rawValue)") }
  }
}
