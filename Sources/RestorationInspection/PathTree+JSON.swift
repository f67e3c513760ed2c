import RestorationArchive

extension PathTree {
  /// Writes the tree as JSON: a list of the nodes with their paths, parents before children, in saved order.
  ///
  /// Read errors are written under `errors`, and are in ``errors`` afterwards.
  package mutating func writeJSON(to output: inout some TextOutputStream) {
    JSONTextWriter.inspection(to: &output) { writer in
      do throws(ArchiveError) {
        let application = try archive.application()
        writer.member("application") { members(of: application, &$0) }
        writer.member("nodes") { $0.array { elements(below: application, depth: 0, &$0) } }
      } catch {
        note(error)
      }
      if !errors.isEmpty {
        writer.member("unreadable") { $0.array(errors) { $0.error($1) } }
        writer.member("unreadableCount") { $0.raw("\(errorCount)") }
      }
    }
  }

  private mutating func elements(below parent: NodeReader, depth: Int, _ writer: inout JSONTextWriter) {
    if let limit = options.depth, depth >= limit { return }
    parent.visitChildren { result in
      switch result {
      case .failure(let error): note(error)
      case .success(let node):
        writer.element { members(of: node, &$0) }
        elements(below: node, depth: depth + 1, &writer)
      }
    }
  }

  private mutating func members(of node: NodeReader, _ writer: inout JSONTextWriter) {
    var contents: NodeListing?
    if options.showsState {
      do throws(ArchiveError) {
        contents = try NodeListing(node)
      } catch {
        note(error)
      }
    }
    writer.object { writer in
      if let contents { writer.attributes(of: contents, options.sensitive) }
      if let sizes { writer.member("bytesBelow") { $0.raw("\(sizes.below(node))") } }
      writer.member("childCount") { $0.raw("\(node.childCount)") }
      if options.quarantined.contains(node.path) { writer.member("isQuarantined") { $0.raw("true") } }
      writer.member("path") { $0.path(node.path) }
      if let contents { writer.provider(of: contents) }
      if node.type != nil { writer.member("schema") { $0.raw("\(node.schemaVersion)") } }
      if let contents { writer.state(of: contents, options.sensitive) }
      writer.member("stateBytes") { $0.raw("\(node.stateByteCount)") }
      if let type = node.type { writer.member("type") { $0.string(type) } }
    }
  }
}
