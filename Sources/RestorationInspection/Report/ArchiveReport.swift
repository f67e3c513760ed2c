package import RestorationArchive
import ReportPage
import StateRestoration

/// A page that shows archives in a browser: one HTML file that needs no network and no other file.
///
///     let report = ArchiveReport([ArchiveReport.Item(name: "notes.rsta") { () throws(ArchiveError) in bytes }])
///     try report.write { text throws(ArchiveError) in page += text }
///
/// The page holds the archives themselves, as Base64, without their sensitive values (unless they are to be revealed).
/// It is shorter than 1.5 times the archives plus 1 MiB. Content of an archive never becomes markup or script: in the
/// page it consists of Base64 and of JSON without `<`, its script makes text nodes of it, and a content security policy
/// refuses any other script or style, and every request.
package struct ArchiveReport {
  /// An archive of the report.
  package struct Item {
    /// The name of the file or generation.
    package var name: String
    /// The archive of a store that a generation belongs to; empty for a single file.
    package var group: String
    /// The outcome of loading a generation at a launch; empty for a single file.
    package var condition: String
    /// Returns the bytes of the file, or throws the error of reading it.
    package var contents: () throws(ArchiveError) -> [UInt8]

    /// Creates an item.
    package init(name: String, group: String = "", condition: String = "", contents: @escaping () throws(ArchiveError) -> [UInt8]) {
      self.name = name
      self.group = group
      self.condition = condition
      self.contents = contents
    }
  }

  private let title: String
  private let notes: [String]
  private let items: [Item]
  private let sensitive: SensitiveValues

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - title: The title of the page.
  ///   - items: The archives. Those of a group follow each other, the newest first, and each is compared with the next
  ///     one of its group.
  ///   - notes: Sentences about the archives as a whole.
  ///   - sensitive: The treatment of sensitive values.
  package init(title: String, _ items: [Item], notes: [String] = [], sensitive: SensitiveValues = .redact) {
    self.title = title
    self.items = items
    self.notes = notes.prefix(100).map { $0.cut(to: ReportItem.Limits.length) }
    self.sensitive = sensitive
  }

  /// The length of the pieces into which an archive is cut; three bytes become four characters.
  private static let pieceLength = 3 << 20

  /// Writes the page piece by piece.
  ///
  /// One archive is in memory at a time, and the one that it is compared with.
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
    func source(_ text: String) -> String { "'sha256-\(Base64.text(of: SHA256.hash(Array(text.utf8))[...]))'" }
    return [
      "default-src 'none'", "script-src \(source(ReportPage.script))", "style-src \(source(ReportPage.style))", "img-src data:",
      "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'",
    ].joined(separator: "; ")
  }()

  private var summary: String {
    var writer = JSONTextWriter()
    writer.object { writer in
      writer.member("archiveCount") { $0.raw("\(items.count)") }
      writer.member("isRevealed") { $0.raw("\(sensitive == .reveal)") }
      writer.member("notes") { $0.array(notes) { $0.string($1) } }
      writer.member("title") { $0.string(title) }
    }
    return writer.takeText()
  }

  /// Returns a block of JSON, in which `<` is escaped, so that nothing in it can end the block.
  private static func block(_ name: String, json: String) -> String {
    "<script type=\"application/json\" id=\"\(name)\">\(json.replacing("<", with: "\\u003c"))</script>\n"
  }

  private func writeItems(_ write: (String) throws(ArchiveError) -> Void) throws(ArchiveError) -> Bool {
    var isSound = true
    var limits = ReportItem.Limits()
    // The older archive of the group comes later, and both are needed for the difference.
    var next: Result<[UInt8], ArchiveError>?
    for (number, item) in items.enumerated() {
      let contents = next ?? Self.read(item)
      let older = number + 1 < items.count && items[number + 1].group == item.group ? items[number + 1] : nil
      next = older.map(Self.read)
      var entry = ReportItem(item, contents, isOldest: older == nil, sensitive)
      if let older, case .success(let bytes)? = next { entry.compare(with: bytes, named: older.name, &limits, sensitive) }
      try write(Self.block("archive-\(number)", json: entry.json(&limits)))
      try writePieces(of: entry.copy?.bytes ?? [], number, write)
      isSound = isSound && entry.isSound
    }
    return isSound
  }

  private static func read(_ item: Item) -> Result<[UInt8], ArchiveError> {
    do throws(ArchiveError) {
      return .success(try item.contents())
    } catch {
      return .failure(error)
    }
  }

  /// Writes bytes as blocks of Base64, which the page decodes one by one.
  private func writePieces(of bytes: [UInt8], _ number: Int, _ write: (String) throws(ArchiveError) -> Void) throws(ArchiveError) {
    for start in stride(from: 0, to: bytes.count, by: Self.pieceLength) {
      let piece = bytes[start..<min(start + Self.pieceLength, bytes.count)]
      try write("<script type=\"text/plain\" class=\"archive-\(number)\">\(Base64.text(of: piece))</script>\n")
    }
  }
}

extension StoreListing {
  /// Returns a report of all files of the store.
  ///
  /// - Parameters:
  ///   - title: The title of the page.
  ///   - folder: The folder of the store.
  ///   - sensitive: The treatment of sensitive values.
  /// - Returns: The report, in which each file is compared with the one before it.
  package func report(title: String, folder: String, sensitive: SensitiveValues = .redact) -> ArchiveReport {
    let store = try? RestorationStore(folder: folder, access: .reading)
    let items = archives.flatMap { archive in
      archive.files.map { file in
        ArchiveReport.Item(name: "generation \(file.generation)", group: archive.name.description, condition: file.facts) {
          () throws(ArchiveError) in
          // Without links the whole file is shown, also what follows the archive.
          if file.linkCount > 0, let bytes = store?.opened(file.generation)?.bytes { return bytes }
          return try FileByteSource(path: "\(folder)/\(file.generation.fileName)").readAll()
        }
      }
    }
    return ArchiveReport(title: title, items, notes: archives.flatMap(\.notes) + notes, sensitive: sensitive)
  }
}

extension StoreListing.Archive {
  /// The plan for the next launch, the quarantined paths and the open offers, a sentence each.
  fileprivate var notes: [String] {
    ["\(name): a launch now \(plan.sentence)"]
      + quarantined.map { "\(name): quarantined: \($0.displayText)" }
      + offers.map { "\(name): open offer: generation \($0)" }
  }
}

extension StoreListing.File {
  /// When and by which build the file was saved, why it is kept, and what a launch would do with it.
  fileprivate var facts: String {
    var facts: [String] = []
    if let time = header?.timestamp { facts.append("saved \(ArchiveValue.date(time).displayText)") }
    if let build = header?.bundleVersion { facts.append("by build \(build.escapedForDisplay)") }
    return (facts + ["kept: \(reason)", condition]).joined(separator: ", ")
  }
}
