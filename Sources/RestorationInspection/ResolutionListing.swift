import RestorationArchive
package import StateRestoration

extension ArchiveResolution {
  /// Whether every node can be read and would be restored.
  package var isComplete: Bool { unreadable.isEmpty && restoredCount == nodes.count }

  /// Writes which nodes would be restored, and the reasons for the others.
  package func write(to output: inout some TextOutputStream, style: TextStyle = .plain) {
    for node in nodes {
      let line = node.prediction
      output.write("\(node.outcome.isSuccess ? line : style.alarming(line))\n")
    }
    output.write("\(style.bold(summary))\n")
  }

  package func writeJSON(to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      let nodes = JSONList(self.nodes) { node -> JSONMembers in
        let isRestored = node.outcome.isSuccess
        return [
          "archivedPath": node.archivedPath, "error": node.error, "isRestored": isRestored, "line": isRestored ? nil : node.line,
          "path": node.path, "sentence": node.prediction, "type": node.type,
        ]
      }
      writer.members(["nodes": nodes])
      if !unreadable.isEmpty { writer.member("unreadable") { $0.array(unreadable) { $1.write(to: &$0) } } }
    }
  }
}
