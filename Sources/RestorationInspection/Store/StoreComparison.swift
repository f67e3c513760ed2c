import RestorationArchive
package import StateRestoration

/// Two stores, or two states of one store: what a launch would restore from each, archive by archive.
package struct StoreComparison: Sendable {
  private struct Row: Sendable {
    let name: ArchiveName
    let old: State?
    let new: State?
    /// The numbers of differences; nil if one of the stores lacks the archive, or it cannot be opened.
    let counts: ArchiveDifference.Counts?
  }

  private struct State: Sendable {
    let generation: Generation
    let archive: ArchiveReader?
  }

  private let rows: [Row]
  private let names: (old: String, new: String)

  package var isSame: Bool { rows.allSatisfy { $0.counts?.total == 0 } }

  /// Compares the states that a launch would try first.
  ///
  /// - Throws: `StoreError.system` if a folder cannot be read.
  package init(
    _ old: RestorationStore, named oldName: String, _ new: RestorationStore, named newName: String, of archive: ArchiveName? = nil
  ) throws(StoreError) {
    names = (oldName, newName)
    var archives = try old.archivesWithFiles()
    for name in try new.archivesWithFiles() where !archives.contains(name) { archives.append(name) }
    var rows: [Row] = []
    for name in archives where archive == nil || name == archive {
      let (before, after) = (try Self.state(of: name, in: old), try Self.state(of: name, in: new))
      if before == nil, after == nil { continue }
      var options = ArchiveDifference.Options()
      options.ignoresVolatileHeader = true
      var counts: ArchiveDifference.Counts?
      if let left = before?.archive, let right = after?.archive {
        counts = ArchiveDifference(from: left, to: right, options: options).counts
      }
      rows.append(Row(name: name, old: before, new: after, counts: counts))
    }
    self.rows = rows
  }

  private static func state(of name: ArchiveName, in store: RestorationStore) throws(StoreError) -> State? {
    guard let generation = try store.load(name).candidates.first?.generation else { return nil }
    return State(generation: generation, archive: store.reader.opened(generation).flatMap { try? ArchiveReader(inspecting: $0.bytes) })
  }

  package func text(_ style: TextStyle = .plain) -> String {
    var lines: [String] = []
    for row in rows {
      lines.append(style.bold(row.name.description))
      for (name, state) in [(names.old, row.old), (names.new, row.new)] { lines.append("  \(name): \(Self.words(for: state))") }
      if let counts = row.counts { lines.append("  \(counts.text)") }
    }
    return (rows.isEmpty ? ["nothing is saved in either"] : lines).joined(separator: "\n") + "\n"
  }

  private static func words(for state: State?) -> String {
    guard let state else { return "nothing" }
    guard let reader = state.archive else { return "generation \(state.generation), which cannot be opened" }
    let saved = reader.header.timestamp.map { ", saved \(ArchiveValue.date($0).displayText)" } ?? ""
    let build = reader.header.bundleVersion.map { ", by build \($0.escapedForDisplay)" } ?? ""
    return "generation \(state.generation)\(saved)\(build), \(ArchiveOverview.counted(reader.nodeCount, "node"))"
  }

  package var json: String {
    let archives = JSONList(rows) { row in
      [
        "archive": row.name.scene ?? "", "counts": row.counts, "isSame": row.counts?.total == 0,
        "newGeneration": row.new?.generation.number, "oldGeneration": row.old?.generation.number,
      ]
    }
    return JSONTextWriter.inspection(["archives": archives, "isSame": isSame, "new": names.new, "old": names.old])
  }
}
