import RestorationArchive
package import StateRestoration

/// The nodes of an archive that a set of registrations would restore, and the reasons for the others, as text or JSON.
package struct ResolutionListing: Sendable {
  /// The outcome for each node.
  package let resolution: ArchiveResolution

  /// Creates a listing of a resolution.
  package init(_ resolution: ArchiveResolution) {
    self.resolution = resolution
  }

  /// Whether every node can be read and would be restored.
  package var isComplete: Bool { resolution.unreadable.isEmpty && resolution.restoredCount == resolution.nodes.count }

  /// Writes a line for each node, and the totals.
  package func write(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    for node in resolution.nodes {
      let line = node.description
      output.write("\(node.outcome.isSuccess ? line : style.alarming(line))\n")
    }
    output.write("\(style.bold(resolution.summary))\n")
  }

  /// Writes the nodes as JSON.
  package func writeJSON(to output: inout some TextOutputStream) {
    var writer = JSONTextWriter()
    writer.inspection { writer in
      writer.member("nodes") { $0.array(resolution.nodes, to: &output) { Self.write($1, &$0, to: &$2) } }
      if !resolution.unreadable.isEmpty {
        writer.member("unreadable") { $0.array(resolution.unreadable, to: &output) { $0.error($1, to: &$2) } }
      }
    }
    output.write(writer.takeText())
  }

  private static func write(_ node: ArchiveResolution.Prediction, _ writer: inout JSONTextWriter, to output: inout some TextOutputStream) {
    writer.object { writer in
      if let path = node.archivedPath { writer.member("archivedPath") { $0.path(path, to: &output) } }
      if let error = node.error { writer.member("error") { $0.string(error) } }
      writer.member("isRestored") { $0.raw("\(node.outcome.isSuccess)") }
      if !node.outcome.isSuccess { writer.member("line") { $0.string(node.line) } }
      writer.flush(to: &output)
      writer.member("path") { $0.path(node.path, to: &output) }
      writer.member("sentence") { $0.string(node.description) }
      writer.flush(to: &output)
      if let type = node.type { writer.member("type") { $0.string(type) } }
    }
  }
}
