import RestorationArchive
public import StateRestoration

/// What is in a store, in what condition, and what a launch would do now.
public struct StoreListing: Sendable {
  /// One archive with its files.
  public struct Archive: Sendable {
    /// Which one.
    public let name: ArchiveName
    /// All files, those set aside included, the newest first.
    public let files: [File]
    /// What a launch would do, and why.
    public let plan: LaunchPlan
    /// The paths that a launch would leave out.
    public let quarantined: [RestorationPath]
  }

  /// One file.
  public struct File: Sendable {
    /// Its number and mark.
    public let generation: Generation
    /// What a launch would make of it; for a file set aside, why it is there.
    public let condition: String
  }

  /// The archives, the one saved last first; behind them those of which only files that were set aside are left.
  public let archives: [Archive]

  /// Looks into a store, without changing anything.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - archive: The one archive to look at; all if nil.
  /// - Throws: `StoreError.system` if the folder cannot be read.
  public init(_ store: RestorationStore, of archive: ArchiveName? = nil) throws(StoreError) {
    var archives: [Archive] = []
    for name in try store.archivesWithFiles() where archive == nil || name == archive {
      let plan = try store.plan(for: name)
      let files = try store.generations(of: name).map { generation in
        let candidate = plan.load.candidates.first { $0.generation == generation }
        return File(generation: generation, condition: candidate?.outcome.description ?? "set aside: \(generation.mark.rawValue)")
      }
      archives.append(Archive(name: name, files: files, plan: plan, quarantined: store.quarantinedPaths(of: name)))
    }
    self.archives = archives
  }

  /// Whether every file that a launch would try is whole.
  public var isSound: Bool {
    archives.allSatisfy { archive in
      archive.plan.load.candidates.allSatisfy { candidate in
        switch candidate.outcome {
        case .taken, .notNeeded: true
        default: false
        }
      }
    }
  }

  // MARK: Text

  /// The listing as text.
  public func text(_ style: TextStyle = .plain) -> String {
    guard !archives.isEmpty else { return "nothing is saved here\n" }
    var lines: [String] = []
    for archive in archives {
      lines.append(style.bold(archive.name.description))
      let width = archive.files.map { $0.generation.description.count }.max() ?? 0
      for file in archive.files {
        let number = file.generation.description
        lines.append("  \(number)\(String(repeating: " ", count: width - number.count))  \(file.condition)")
      }
      for path in archive.quarantined { lines.append("  left out: \(path.description.escapedForDisplay)") }
      lines.append("  a launch now \(archive.plan.sentence)")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The listing as JSON.
  public var json: String {
    var writer = JSONTextWriter()
    writer.inspection { writer in
      writer.member("archives") { $0.array(archives) { Self.write($1, &$0) } }
      writer.member("isSound") { $0.raw("\(isSound)") }
    }
    return writer.takeText()
  }

  private static func write(_ archive: Archive, _ writer: inout JSONTextWriter) {
    writer.object { writer in
      writer.member("action") { $0.string(archive.plan.actionName) }
      writer.member("archive") { $0.string(archive.name.scene ?? "") }
      writer.member("files") { writer in
        writer.array(archive.files) { writer, file in
          writer.object { writer in
            writer.member("condition") { $0.string(file.condition) }
            writer.member("generation") { $0.raw("\(file.generation.number)") }
            writer.member("mark") { $0.string(file.generation.mark.rawValue) }
          }
        }
      }
      writer.member("quarantined") { $0.array(archive.quarantined) { $0.string($1.description) } }
      writer.member("reason") { $0.string(archive.plan.reason) }
    }
  }
}

extension LaunchPlan {
  fileprivate var actionName: String {
    switch action {
    case .restore: "restore"
    case .offer: "offer"
    case .startFresh: "start-fresh"
    case .wait: "wait"
    }
  }

  fileprivate var sentence: String {
    switch action {
    case .restore: reason
    case .offer: "starts fresh and offers to restore: \(reason)"
    case .startFresh: "starts fresh: \(reason)"
    case .wait: "waits: \(reason)"
    }
  }
}
