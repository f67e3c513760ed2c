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
    let limit = limit ?? .max / 8
    JSONTextWriter.inspection(to: &output) { writer in
      writer.member("byteCount") { $0.raw("\(byteCount)") }
      if views.contains(.duplicates) { write(duplicates.prefix(limit), &writer) }
      if let excesses { writer.member("excesses") { $0.array(excesses) { $0.string($1) } } }
      writer.member("file") { $0.string(file) }
      if views.contains(.key) { write(keys.prefix(limit), as: "keys", &writer) }
      if views.contains(.kind) { write(kinds.prefix(limit), as: "kinds", &writer) }
      if views.contains(.path) { write(largestNodes(limit: limit, depth: depth).nodes, &writer) }
      if views.contains(.overhead) { write(overhead[...], as: "overhead", &writer) }
      writer.member("overheadByteCount") { $0.raw("\(overheadByteCount)") }
      if views.contains(.type) { write(types.prefix(limit), as: "types", &writer) }
      if !unmatched.isEmpty { writer.member("unmatchedPatterns") { $0.array(unmatched) { $0.string($1) } } }
    }
  }

  private func write(_ shares: ArraySlice<Share>, as key: String, _ writer: inout JSONTextWriter) {
    writer.member(key, objects: shares) { writer, share in
      writer.member("byteCount") { $0.raw("\(share.byteCount)") }
      writer.member("count") { $0.raw("\(share.count)") }
      writer.member("name") { $0.string(share.name) }
    }
  }

  private func write(_ nodes: [NodeSize], _ writer: inout JSONTextWriter) {
    writer.member("nodes", objects: nodes) { writer, node in
      writer.member("own") { $0.raw("\(node.own)") }
      writer.member("path") { $0.path(node.path) }
      writer.member("withAllBelow") { $0.raw("\(node.withAllBelow)") }
    }
  }

  private func write(_ values: ArraySlice<Duplicate>, _ writer: inout JSONTextWriter) {
    writer.member("duplicates", objects: values) { writer, value in
      writer.member("byteCount") { $0.raw("\(value.byteCount)") }
      writer.member("copies") { $0.raw("\(value.copies)") }
      writer.member("key") { $0.string(value.key) }
      writer.member("kind") { $0.string(value.kind) }
      writer.member("path") { $0.path(value.path) }
      writer.member("wastedByteCount") { $0.raw("\(value.wastedByteCount)") }
    }
  }
}
