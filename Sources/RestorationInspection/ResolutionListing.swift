import RestorationArchive
package import StateRestoration

/// The nodes of an archive that a set of registrations would restore, and the reasons for the others, as text or JSON.
package struct ResolutionListing: Sendable {
  package let resolution: ArchiveResolution

  package init(_ resolution: ArchiveResolution) { self.resolution = resolution }

  /// Whether every node can be read and would be restored.
  package var isComplete: Bool { resolution.unreadable.isEmpty && resolution.restoredCount == resolution.nodes.count }

  package func write(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    for node in resolution.nodes {
      let line = node.description
      output.write("\(node.outcome.isSuccess ? line : style.alarming(line))\n")
    }
    output.write("\(style.bold(resolution.summary))\n")
  }

  package func writeJSON(to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      writer.member("nodes", objects: resolution.nodes) { writer, node in
        let isRestored = node.outcome.isSuccess
        writer.members([
          "archivedPath": node.archivedPath, "error": node.error, "isRestored": isRestored, "line": isRestored ? nil : node.line,
          "path": node.path, "sentence": node.description, "type": node.type,
        ])
      }
      if !resolution.unreadable.isEmpty { writer.member("unreadable") { $0.array(resolution.unreadable) { $1.write(to: &$0) } } }
    }
  }
}
