import RestorationArchive

extension ArchiveSizes {
  /// Writes views as JSON.
  ///
  /// - Parameters:
  ///   - file: The name of the file.
  ///   - output: The stream to write to.
  ///   - views: The views.
  ///   - limit: The maximum number of elements of each view; nil for all.
  ///   - depth: The maximum depth of a node in the view by path; nil for all.
  ///   - excesses: The exceeded limits of a budget; nil without a budget.
  ///   - unmatched: The patterns of the budget that match no node.
  package func writeJSON(
    of file: String, to output: inout some TextOutputStream, views: [View] = View.allCases, limit: Int? = nil, depth: Int? = nil,
    excesses: [String]? = nil, unmatched: [String] = []
  ) {
    var writer = JSONTextWriter()
    let limit = limit ?? .max / 8
    writer.inspection { writer in
      writer.member("byteCount") { $0.raw("\(byteCount)") }
      if views.contains(.duplicates) { writer.member("duplicates") { write(duplicates.prefix(limit), &$0, to: &output) } }
      if let excesses { writer.member("excesses") { $0.array(excesses) { $0.string($1) } } }
      writer.member("file") { $0.string(file) }
      if views.contains(.key) { writer.member("keys") { write(keys.prefix(limit), &$0, to: &output) } }
      if views.contains(.kind) { writer.member("kinds") { write(kinds.prefix(limit), &$0, to: &output) } }
      if views.contains(.path) {
        writer.member("nodes") { write(largestNodes(limit: limit, depth: depth).nodes, &$0, to: &output) }
      }
      if views.contains(.overhead) { writer.member("overhead") { write(overhead[...], &$0, to: &output) } }
      writer.member("overheadByteCount") { $0.raw("\(overheadByteCount)") }
      if views.contains(.type) { writer.member("types") { write(types.prefix(limit), &$0, to: &output) } }
      if !unmatched.isEmpty { writer.member("unmatchedPatterns") { $0.array(unmatched) { $0.string($1) } } }
    }
    output.write(writer.takeText())
  }

  private func write(_ shares: ArraySlice<Share>, _ writer: inout JSONTextWriter, to output: inout some TextOutputStream) {
    writer.array(shares, to: &output) { writer, share, _ in
      writer.object { writer in
        writer.member("byteCount") { $0.raw("\(share.byteCount)") }
        writer.member("count") { $0.raw("\(share.count)") }
        writer.member("name") { $0.string(share.name) }
      }
    }
  }

  private func write(_ nodes: [NodeSize], _ writer: inout JSONTextWriter, to output: inout some TextOutputStream) {
    writer.array(nodes, to: &output) { writer, node, output in
      writer.object { writer in
        writer.member("own") { $0.raw("\(node.own)") }
        writer.member("path") { $0.path(node.path, to: &output) }
        writer.member("withAllBelow") { $0.raw("\(node.withAllBelow)") }
      }
    }
  }

  private func write(_ values: ArraySlice<Duplicate>, _ writer: inout JSONTextWriter, to output: inout some TextOutputStream) {
    writer.array(values, to: &output) { writer, value, output in
      writer.object { writer in
        writer.member("byteCount") { $0.raw("\(value.byteCount)") }
        writer.member("copies") { $0.raw("\(value.copies)") }
        writer.member("key") { $0.string(value.key) }
        writer.member("kind") { $0.string(value.kind) }
        writer.member("path") { $0.path(value.path, to: &output) }
        writer.member("wastedByteCount") { $0.raw("\(value.wastedByteCount)") }
      }
    }
  }
}
