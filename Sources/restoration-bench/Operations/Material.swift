import Foundation

/// A load with the encoded forms that operations start from, each made when it is first asked for.
final class Material {
  let load: Load
  /// Where files go.
  let folder: URL

  init(_ load: Load, folder: URL) {
    self.load = load
    self.folder = folder
  }

  /// The tree; a small one for the load that has none.
  private(set) lazy var workload = Workload(load.size ?? .small)
  /// The small tree, for what a byte of a larger one is held against.
  private(set) lazy var small = load == .medium || load == .large ? Material(.small, folder: folder) : nil
  private(set) lazy var records = CodableRecord.workload()

  /// Live objects, and how many.
  private(set) lazy var liveTree = LiveTree.make(liveCount)
  var liveCount: Int { (load.size ?? .small).nodeCount }

  private(set) lazy var archive = Result { try ArchivePeer.encode(workload) }
  private(set) lazy var propertyList = Result { try FoundationPeers.propertyListEncoder().encode(workload.roots) }
  private(set) lazy var json = Result { try JSONEncoder().encode(workload.roots) }
  private(set) lazy var keyedArchives = Result { try KeyedArchiverPeer.encode(workload) }

  private(set) lazy var recordsArchive = Result { try ArchivePeer.encode(records) }
  private(set) lazy var recordsPropertyList = Result { try FoundationPeers.propertyListEncoder().encode(records) }
  private(set) lazy var recordsJSON = Result { try JSONEncoder().encode(records) }

  /// The archive as a file.
  private(set) lazy var archiveFile = Result {
    let file = folder.appendingPathComponent("\(load.rawValue).rsta")
    try archive.get().write(to: file)
    return file
  }
}
