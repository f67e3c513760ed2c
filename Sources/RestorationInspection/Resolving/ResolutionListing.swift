import RestorationArchive
public import StateRestoration

/// Which nodes of an archive a set of registrations would restore, and why the others not, as text or JSON.
public struct ResolutionListing: Sendable {
  /// What would become of each node.
  public let resolution: ArchiveResolution

  /// Asks about every node.
  public init(_ resolution: ArchiveResolution) {
    self.resolution = resolution
  }

  /// Whether every node would be restored, and every one can be read.
  public var isComplete: Bool { resolution.unreadable.isEmpty && resolution.nodes.allSatisfy(\.outcome.isSuccess) }

  /// A line for each node, and the count.
  public func text(_ style: TextStyle = .plain) -> String {
    let lines = resolution.nodes.map { $0.outcome.isSuccess ? $0.description : style.alarming($0.description) }
    return (lines + [style.bold(resolution.summary)]).map { $0 + "\n" }.joined()
  }

  /// The nodes as JSON.
  public var json: String {
    var text = ""
    var writer = JSONTextWriter()
    writer.inspection { writer in
      writer.member("nodes") { $0.array(resolution.nodes) { Self.write($1, &$0) } }
      if !resolution.unreadable.isEmpty {
        writer.member("unreadable") { $0.array(resolution.unreadable) { $0.error($1, to: &text) } }
      }
    }
    return text + writer.takeText()
  }

  private static func write(_ node: ArchiveResolution.Node, _ writer: inout JSONTextWriter) {
    writer.object { writer in
      if let path = node.archivedPath { writer.member("archivedPath") { $0.string(path.description) } }
      if let error = node.error { writer.member("error") { $0.string(error) } }
      writer.member("isRestored") { $0.raw("\(node.outcome.isSuccess)") }
      if !node.outcome.isSuccess { writer.member("line") { $0.string(node.line) } }
      writer.member("path") { $0.string(node.path.description) }
      writer.member("sentence") { $0.string(node.description) }
      if let type = node.type { writer.member("type") { $0.string(type) } }
    }
  }
}
