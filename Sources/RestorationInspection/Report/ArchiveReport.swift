import ArchiveFormat
import FoundationValues
package import KeyedArchive
import ReportPage
package import RestorationArchive
package import StateRestoration

/// A page that shows archives in a browser: one HTML file that needs no network and no other file.
///
///     var report = ArchiveReport(title: "notes", [ArchiveReport.Item(name: "notes.rsta") { () throws(ArchiveError) in bytes }])
///     try report.write { text throws(ArchiveError) in page += text }
///
/// The page holds what its script shows of the archives, as JSON: names, types, sizes and states, without sensitive
/// values (unless they are to be revealed). It is shorter than 1.5 times the archives plus 1 MiB; states beyond that are
/// left out, and the page says so. Content of an archive never becomes markup or script: JSON in the page is without `<`,
/// the script makes text nodes of it, and a content security policy refuses any other script or style, and every request.
package struct ArchiveReport {
  package struct Item {
    package var name: String
    /// The archive of a store that a generation belongs to; empty for a single file.
    package var group = ""
    /// The outcome of loading a generation at a launch; empty for a single file.
    package var condition = ""
    /// The name of a save behind the folder of its store, for the operands of the tool; nil for a single file.
    package var address: String?
    /// The length of the file that the save wrote; nil for a single file.
    package var writtenByteCount: Int?
    /// Whether the archive is a file with all that follows it, and not a save in between.
    package var hasFile = true
    /// Whether the page has no room for the archive.
    var isOmitted = false
    /// The form of the file that the archive was made from; nil if it is an archive.
    package var form: String?
    package var imported: ImportedArchive?
    /// The length of the file that the archive was made from.
    package var sourceByteCount: Int?
    /// Returns the bytes of the archive, or throws the error of reading it.
    package var contents: () throws(ArchiveError) -> [UInt8]

    package init(name: String, contents: @escaping () throws(ArchiveError) -> [UInt8]) {
      self.name = name
      self.contents = contents
    }
  }

  /// A node that launches leave out, with the group of its saves and the archive that it is in.
  package typealias Quarantine = (group: String, archive: ArchiveName, node: QuarantinedNode)

  private let title: String
  private let sensitive: SensitiveValues
  /// The archives; those of a group follow each other, from the oldest to the newest.
  package var items: [Item]
  /// Sentences about the archives as a whole.
  package var notes: [String] = []
  /// The nodes that launches leave out.
  package var quarantine: [Quarantine] = []
  /// Sentences about what needs an answer or is lost.
  package var alarms: [String] = []
  /// The archives whose difference the page shows first; nil for the newest of the first group and the one before it.
  package var comparison: (old: Int, new: Int)?

  package init(title: String, _ items: [Item] = [], sensitive: SensitiveValues = .redact) {
    (self.title, self.items, self.sensitive) = (title, items, sensitive)
  }

  private static func cut(_ texts: [String]) -> [String] { texts.prefix(50).map { $0.cut(to: ReportItem.Limits.length) } }

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
  static let policy = [
    "default-src 'none'", "script-src '\(ReportPage.scriptDigest)'", "style-src '\(ReportPage.styleDigest)'", "img-src data:",
    "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
  ].joined(separator: "; ")

  private var summary: String {
    let quarantine = JSONList(self.quarantine.prefix(32)) { left -> JSONMembers in
      // A path of a quarter of a megabyte leads nowhere, and stands in no command.
      let isShort = left.node.path.displayText.utf8.count <= ReportItem.Limits.length
      return [
        "builds": left.node.builds.prefix(4).map { $0.cut(to: 100) }, "deaths": left.node.deaths.suffix(3).map { $0.cut(to: 300) },
        "group": left.group, "path": isShort ? left.node.path.components : nil, "printed": isShort ? left.node.path.displayText : nil,
        "scene": left.archive.scene?.escapedForDisplay, "text": "\(left.node)".cut(to: ReportItem.Limits.length),
      ]
    }
    let summary: JSONMembers = [
      "alarms": Self.cut(alarms), "archiveCount": items.count, "comparison": comparison.map { [$0.old, $0.new] },
      "isRevealed": sensitive == .reveal, "notes": Self.cut(notes), "quarantine": quarantine, "title": title,
      "volatile": RegisteredHeaderKey.allCases.filter(\.isVolatile).map(\.rawValue) + [ReportItem.digestName],
    ]
    return JSONTextWriter.text { summary.write(to: &$0) }
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
    let progress = WorkProgress.begin(items.count)
    defer { progress?.end() }
    for (number, var item) in items.enumerated() {
      progress?.advance(to: number)
      if !item.hasFile {
        pool.addRoom(Self.leastLinkLength)
        item.isOmitted = pool.room < Self.roomOfFiles
      }
      let entry = ReportItem(item, sensitive, &pool)
      var tree: Int?
      if let columns = entry.nodes?.tree {
        tree = trees[columns]
        if tree != nil { pool.addRoom(entry.nodes?.nameRoom ?? 0) }
        if tree == nil, item.hasFile || pool.take(columns.count) {
          tree = trees.count
          try write("<script type=\"application/json\" id=\"tree-\(trees.count)\">\(String(decoding: columns, as: UTF8.self))</script>\n")
          trees[items.count > 1 ? columns : []] = trees.count
        }
      }
      try write("<script type=\"text/plain\" class=\"states\">\(String(decoding: pool.takeLines(), as: UTF8.self))</script>\n")
      let description = entry.json(tree: tree, &limits, &pool)
      if !item.hasFile { pool.addRoom(-description.utf8.count) }
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
    let catalog = try? store?.reader.catalog()
    return archives.flatMap { archive in
      var items: [ArchiveReport.Item] = []
      for file in archive.files.sorted(by: { $0.generation.number < $1.generation.number }) {
        // Each save is an archive of its own; many of a large one take too long.
        let applied = file.saved.linkCount - file.saved.lostLinkCount
        let first = max(0, applied - Self.mostSavedBytes / max(1, file.saved.byteCount ?? 1))
        let names = [file.generation.fileName] + (catalog?.links(of: file.generation).map(\.fileName) ?? [])
        func locate(_ item: inout ArchiveReport.Item, _ place: Int) {
          guard names.indices.contains(place) else { return }
          item.address = "/\(names[place])"
          item.writtenByteCount = try? FileByteSource(path: "\(folder)/\(names[place])").byteCount()
        }
        for place in first..<applied {
          var save = ArchiveReport.Item(name: "generation \(file.generation), save \(place + 1)") { () throws(ArchiveError) in
            guard let bytes = store?.reader.opened(file.generation, links: place)?.bytes else {
              throw FileByteSource.error("opening", "is not there any more")
            }
            return bytes
          }
          save.hasFile = false
          locate(&save, place)
          items.append(save)
        }
        var item = ArchiveReport.Item(name: "generation \(file.generation)" + (applied > 0 ? ", save \(applied + 1)" : "")) {
          () throws(ArchiveError) in
          // Without links the whole file is shown, also what follows the archive.
          if file.saved.linkCount > 0, let bytes = store?.reader.opened(file.generation)?.bytes { return bytes }
          return try FileByteSource(path: "\(folder)/\(file.generation.fileName)").readAll()
        }
        item.condition = file.facts(omittedCount: first, leftOutCount: archive.quarantine.count)
        locate(&item, applied)
        item.address = "@" + (archive.name.scene.map { "\($0.escapedForDisplay)@" } ?? "") + "\(file.generation.number)"
        items.append(item)
      }
      for place in items.indices { items[place].group = archive.group(title) }
      return items
    }
  }

  /// Returns the nodes that launches leave out, for a report with the items of the same title.
  package func reportQuarantine(title: String = "") -> [ArchiveReport.Quarantine] {
    archives.flatMap { archive in
      archive.quarantine.map { (archive.group(title), archive.name, $0) }
    }
  }

  /// The bytes of all saves between two files that a page has.
  private static var mostSavedBytes: Int { 1 << 25 }

  /// The plans for the next launch and the end of the last one, a sentence each.
  package var reportNotes: [String] { archives.map { "\($0.name): a launch now \($0.plan.sentence)" } + lastLaunchWords }

  /// The open offers and the notes, a sentence each.
  package var reportAlarms: [String] {
    archives.flatMap { archive in archive.offers.map { "\(archive.name): \(archive.words(of: $0)) (`restoration store`)" } } + notes
  }
}

extension StoreListing.Archive {
  /// The group of the archive's items on a page; `title` is empty if the page has one store.
  fileprivate func group(_ title: String) -> String { title.isEmpty ? name.description : "\(title): \(name)" }
}

extension StoreListing.File {
  /// The reason for keeping the file, and what a launch would do with it.
  fileprivate func facts(omittedCount: Int, leftOutCount: Int) -> String {
    let isWhole = leftOutCount == 0 || condition != "restored"
    let condition = isWhole ? condition : "restored without \(ArchiveOverview.counted(leftOutCount, "node")), left out by launches"
    let lost = saved.lostLinkCount == 0 ? [] : ["\(ArchiveOverview.counted(saved.lostLinkCount, "later save")) lost"]
    let omitted = omittedCount == 0 ? [] : ["its first \(ArchiveOverview.counted(omittedCount, "save")) not on this page"]
    return (["kept: \(saved.reason)", condition] + lost + omitted).joined(separator: ", ")
  }
}
