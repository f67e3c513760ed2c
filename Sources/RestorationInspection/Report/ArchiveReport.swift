import FoundationValues
package import KeyedArchive
import ReportPage
package import RestorationArchive
import StateRestoration

/// A page that shows archives in a browser: one HTML file that needs no network and no other file.
///
///     let report = ArchiveReport([ArchiveReport.Item(name: "notes.rsta") { () throws(ArchiveError) in bytes }])
///     try report.write { text throws(ArchiveError) in page += text }
///
/// The page holds what its script shows of the archives, as JSON: names, types, sizes and states, without sensitive
/// values (unless they are to be revealed). It is shorter than 1.5 times the archives plus 1 MiB; states beyond that are
/// left out, and the page says so. Content of an archive never becomes markup or script: JSON in the page is without `<`,
/// the script makes text nodes of it, and a content security policy refuses any other script or style, and every request.
package struct ArchiveReport {
  /// An archive of the report.
  package struct Item {
    /// The name of the file or generation.
    package var name: String
    /// The archive of a store that a generation belongs to; empty for a single file.
    package var group = ""
    /// The outcome of loading a generation at a launch; empty for a single file.
    package var condition = ""
    /// The paths of the quarantined nodes.
    package var quarantined: [RestorationPath] = []
    /// Whether the archive is a file with all that follows it, and not a save in between.
    package var hasFile = true
    /// Whether the page has no room for the archive.
    var isOmitted = false
    /// The form of the file that the archive was made from; nil if it is an archive.
    package var form: String?
    /// The import that the archive was made by.
    package var imported: ImportedArchive?
    /// The length of the file that the archive was made from.
    package var sourceByteCount: Int?
    /// Returns the bytes of the archive, or throws the error of reading it.
    package var contents: () throws(ArchiveError) -> [UInt8]

    /// Creates an item.
    package init(name: String, contents: @escaping () throws(ArchiveError) -> [UInt8]) {
      self.name = name
      self.contents = contents
    }
  }

  private let title: String
  private let notes: [String]
  private let items: [Item]
  private let comparison: (old: Int, new: Int)?
  private let sensitive: SensitiveValues

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - title: The title of the page.
  ///   - items: The archives. Those of a group follow each other, from the oldest to the newest.
  ///   - notes: Sentences about the archives as a whole.
  ///   - comparison: The archives whose difference the page shows first; nil for the newest of the first group and the
  ///     one before it.
  ///   - sensitive: The treatment of sensitive values.
  package init(
    title: String, _ items: [Item], notes: [String] = [], comparison: (old: Int, new: Int)? = nil, sensitive: SensitiveValues = .redact
  ) {
    self.title = title
    self.items = items
    self.comparison = comparison
    self.notes = notes.prefix(100).map { $0.cut(to: ReportItem.Limits.length) }
    self.sensitive = sensitive
  }

  /// Writes the page piece by piece.
  ///
  /// One archive is in memory at a time.
  ///
  /// - Returns: Whether every archive could be read and is intact.
  /// - Throws: The error of `write`.
  /// - Complexity: O(n) in the length of the archives.
  @discardableResult
  package func write(_ write: (String) throws(ArchiveError) -> Void) throws(ArchiveError) -> Bool {
    var isSound = true
    for (place, markup) in zip(ReportPage.Place.allCases.map(Optional.some) + [nil], ReportPage.markup) {
      try write(markup)
      switch place {
      case .policy: try write(Self.policy)
      case .style: try write(ReportPage.style)
      case .archives:
        try write(Self.block("report", json: summary))
        isSound = try writeItems(write)
      case .script: try write(ReportPage.script)
      case nil: break
      }
    }
    return isSound
  }

  // MARK: Parts of the page

  /// The policy: nothing is loaded, and style and script are these alone.
  static let policy: String = {
    func source(_ text: String) -> String { "'sha256-\(Data(SHA256.hash(Array(text.utf8))).base64EncodedString())'" }
    return [
      "default-src 'none'", "script-src \(source(ReportPage.script))", "style-src \(source(ReportPage.style))", "img-src data:",
      "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
    ].joined(separator: "; ")
  }()

  private var summary: String {
    JSONTextWriter.text { writer in
      writer.object { writer in
        writer.member("archiveCount") { $0.raw("\(items.count)") }
        if let comparison {
          writer.member("comparison") { $0.array([comparison.old, comparison.new]) { $0.raw("\($1)") } }
        }
        writer.member("isRevealed") { $0.raw("\(sensitive == .reveal)") }
        writer.member("notes") { $0.array(notes) { $0.string($1) } }
        writer.member("title") { $0.string(title) }
      }
    }
  }

  /// Returns a block of JSON, in which `<` is escaped, so that nothing in it can end the block.
  private static func block(_ name: String, json: String) -> String {
    "<script type=\"application/json\" id=\"\(name)\">\(json.replacing("<", with: "\\u003c"))</script>\n"
  }

  /// A length that every link has, which is room for the description of its save.
  private static let leastLinkLength = 256
  /// The room that is kept for the files after the saves in between.
  private static let roomOfFiles = 1 << 16

  private func writeItems(_ write: (String) throws(ArchiveError) -> Void) throws(ArchiveError) -> Bool {
    var isSound = true
    var limits = ReportItem.Limits()
    var pool = PagePool(isShared: items.count > 1)
    // Trees that do not change between two saves are there once.
    var trees: [[UInt8]: Int] = [:]
    for (number, var item) in items.enumerated() {
      if !item.hasFile {
        pool.giveBack(Self.leastLinkLength)
        item.isOmitted = pool.room < Self.roomOfFiles
      }
      let entry = ReportItem(item, sensitive, &pool)
      var tree: Int?
      if let columns = entry.nodes?.tree {
        tree = trees[columns]
        if tree != nil { pool.giveBack(entry.nodes?.nameRoom ?? 0) }
        if tree == nil, item.hasFile || pool.take(columns.count) {
          tree = trees.count
          try write("<script type=\"application/json\" id=\"tree-\(trees.count)\">\(String(decoding: columns, as: UTF8.self))</script>\n")
          trees[items.count > 1 ? columns : []] = trees.count
        }
      }
      try write("<script type=\"text/plain\" class=\"states\">\(String(decoding: pool.takeLines(), as: UTF8.self))</script>\n")
      let description = entry.json(tree: tree, &limits, &pool)
      if !item.hasFile { pool.giveBack(-description.utf8.count) }
      try write(Self.block("archive-\(number)", json: description))
      isSound = isSound && entry.isSound
    }
    return isSound
  }
}

extension StoreListing {
  /// Returns the files of the store, and the saves between them, as items of a report.
  ///
  /// - Parameters:
  ///   - folder: The folder of the store.
  ///   - title: The name of the store on a page with several; empty if it is the only one.
  /// - Returns: The items, each archive from its oldest save to its newest.
  package func reportItems(folder: String, title: String = "") -> [ArchiveReport.Item] {
    let store = try? RestorationStore(folder: folder, access: .reading)
    return archives.flatMap { archive in
      var items: [ArchiveReport.Item] = []
      for file in archive.files.sorted(by: { $0.generation.number < $1.generation.number }) {
        // Each save is an archive of its own; many of a large one take too long.
        let applied = file.saved.linkCount - file.saved.lostLinkCount
        let first = max(0, applied - Self.mostSavedBytes / max(1, file.saved.byteCount ?? 1))
        for place in first..<applied {
          var save = ArchiveReport.Item(name: "generation \(file.generation), save \(place + 1)") { () throws(ArchiveError) in
            guard let bytes = store?.opened(file.generation, links: place)?.bytes else {
              throw FileByteSource.error("opening", "is not there any more")
            }
            return bytes
          }
          save.hasFile = false
          items.append(save)
        }
        var item = ArchiveReport.Item(name: "generation \(file.generation)" + (applied > 0 ? ", save \(applied + 1)" : "")) {
          () throws(ArchiveError) in
          // Without links the whole file is shown, also what follows the archive.
          if file.saved.linkCount > 0, let bytes = store?.opened(file.generation)?.bytes { return bytes }
          return try FileByteSource(path: "\(folder)/\(file.generation.fileName)").readAll()
        }
        item.condition = file.facts(omittedCount: first)
        items.append(item)
      }
      for place in items.indices {
        items[place].group = title.isEmpty ? archive.name.description : "\(title): \(archive.name)"
        items[place].quarantined = archive.quarantined
      }
      return items
    }
  }

  /// The bytes of all saves between two files that a page has.
  private static var mostSavedBytes: Int { 1 << 25 }

  /// The plans for the next launch, the quarantined paths, the open offers and the notes, a sentence each.
  package var reportNotes: [String] { archives.flatMap(\.notes) + notes }
}

extension StoreListing.Archive {
  /// The plan for the next launch, the quarantined paths and the open offers, a sentence each.
  fileprivate var notes: [String] {
    ["\(name): a launch now \(plan.sentence)"]
      + quarantined.map { "\(name): quarantined: \($0.displayText)" }
      + offers.map { "\(name): open offer: \($0)" }
  }
}

extension StoreListing.File {
  /// The reason for keeping the file, and what a launch would do with it.
  fileprivate func facts(omittedCount: Int) -> String {
    let lost = saved.lostLinkCount == 0 ? [] : ["\(ArchiveOverview.counted(saved.lostLinkCount, "later save")) lost"]
    let omitted = omittedCount == 0 ? [] : ["its first \(ArchiveOverview.counted(omittedCount, "save")) not on this page"]
    return (["kept: \(saved.reason)", condition] + lost + omitted).joined(separator: ", ")
  }
}
