import ArchiveFormat
import PropertyKit
import RestorationArchive
import RestorationInspection

/// The operations on a file that create no values.
enum Inspection: String, CaseIterable {
  /// Opening it and finding the children of the application.
  case open
  /// Visiting all nodes, in memory.
  case walk
  /// Visiting all nodes, in a file that is read block by block.
  case walkFile
  /// `restoration check`.
  case check
  /// `restoration info`.
  case info
  /// `restoration tree --sizes`.
  case tree
  /// `restoration dump`.
  case dump
  /// The part of salvage before values are read.
  case salvage

  /// Performs the operation, as text and as JSON.
  ///
  /// - Returns: The number of bytes that a file would have delivered and that were written.
  @discardableResult
  func perform(on bytes: [UInt8]) -> Int {
    var output = TextPieces()
    switch self {
    case .open: if let reader = try? ArchiveReader(bytes) { _ = try? reader.application().child("child") }
    case .walk: if let reader = try? ArchiveReader(bytes) { Self.walk(reader) }
    case .walkFile:
      let source = CountingSource(bytes)
      if let reader = try? ArchiveReader(from: source) { Self.walk(reader) }
      return source.deliveredCount
    case .check:
      let report = CheckReport(bytes)
      report.write(to: &output)
      report.writeJSON(to: &output)
    case .info:
      if let overview = try? ArchiveOverview(bytes) {
        output.write(overview.text())
        output.write(overview.json)
      }
    case .tree:
      var options = PathTree.Options()
      options.showsSizes = true
      if let archive = try? ArchiveReader(inspecting: bytes) {
        var tree = PathTree(archive, options: options)
        tree.write(to: &output)
        // The output contains the path of each node, which is slow for long paths.
        if bytes.count < 1 << 16 { tree.writeJSON(to: &output) }
      }
    case .dump:
      ArchiveDump(bytes).write(to: &output)
      ArchiveDump(bytes).writeJSON(to: &output)
    case .salvage: _ = try? SalvageOpening.open(bytes)
    }
    return 0
  }

  private static func walk(_ reader: ArchiveReader) {
    if let application = try? reader.application() { walk(application) }
  }

  /// The maximum path depth of 256 bounds the recursion.
  private static func walk(_ node: NodeReader) {
    _ = try? node.decoder().containsValue(forKey: "key")
    node.visitChildren { if let child = try? $0.get() { walk(child) } }
  }
}
