public import RestorationArchive

/// The nodes of an archive by their paths, as people draw trees.
///
///     root  Window 2
///     ├─ list  List
///     └─ editor  Editor 3
///
/// Only the node table is read, unless state is asked for; one node at a time is in memory.
public struct PathTree {
  /// What to show of each node.
  public struct Options: Sendable {
    /// How many levels to show; all if nil.
    public var depth: Int?
    /// Whether to show how many bytes the state of a node takes, and that of all below it.
    public var showsSizes = false
    /// Whether to show state, provider and attributes.
    public var showsState = false
    /// What to do with sensitive values.
    public var sensitive = SensitiveValues.redact
    /// How to mark up text.
    public var style = TextStyle.plain

    /// Shows all paths and types, and no more.
    public init() {}
  }

  let archive: ArchiveReader
  let options: Options
  let sizes: SubtreeSizes?
  /// What could not be read; at most a hundred errors, so that a file cannot have more of them than it is long.
  public private(set) var errors: [ArchiveError] = []
  /// How much could not be read.
  public private(set) var errorCount = 0
  private var lastNoted: (offset: Int?, code: ArchiveError.Code)?

  /// Makes the tree of an archive.
  public init(_ archive: InspectedArchive, options: Options = Options()) {
    self.archive = archive.reader
    self.options = options
    sizes = options.showsSizes ? SubtreeSizes(archive.reader) : nil
  }

  // MARK: Text

  /// Writes the tree as text.
  ///
  /// What could not be read is in ``errors`` afterwards.
  public mutating func write(to output: inout some TextOutputStream) {
    do throws(ArchiveError) {
      let application = try archive.application()
      output.write("\(options.style.dim("(application)"))\(sizeText(of: application))\n")
      writeContents(of: application, indentation: application.childCount == 0 ? "  " : "│ ", to: &output)
      writeChildren(of: application, depth: 0, indentation: "", to: &output)
    } catch {
      note(error)
    }
  }

  /// Writes the nodes below one.
  ///
  /// The depth of a path, 256 at most, bounds the recursion.
  private mutating func writeChildren(
    of parent: ArchivedNode, depth: Int, indentation: String, to output: inout some TextOutputStream
  ) {
    let count = parent.childCount
    if let limit = options.depth, depth >= limit {
      if count > 0 { output.write("\(indentation)└─ \(options.style.dim("… \(count) more below"))\n") }
      return
    }
    var place = 0
    parent.visitChildren { result in
      place += 1
      let isLast = place == count
      output.write("\(indentation)\(isLast ? "└─ " : "├─ ")")
      switch result {
      case .failure(let error):
        output.write("\(options.style.alarming("(lost: \(error.code))"))\n")
        note(error)
      case .success(let node):
        let below = indentation + (isLast ? "   " : "│  ")
        output.write(line(of: node) + "\n")
        writeContents(of: node, indentation: below + (node.childCount == 0 ? "  " : "│ "), to: &output)
        writeChildren(of: node, depth: depth + 1, indentation: below, to: &output)
      }
    }
  }

  private func line(of node: ArchivedNode) -> String {
    var line = options.style.bold((node.identifier ?? "").escapedForDisplay)
    if let type = node.typeText { line += "  \(type)" }
    if let origin = node.origin { line += options.style.dim("  (of \(origin))") }
    return line + sizeText(of: node)
  }

  private func sizeText(of node: ArchivedNode) -> String {
    guard let sizes else { return "" }
    let below = sizes.below(node)
    return options.style.dim("  \(node.stateByteCount) bytes" + (node.childCount > 0 ? ", \(below) below" : ""))
  }

  private mutating func writeContents(of node: ArchivedNode, indentation: String, to output: inout some TextOutputStream) {
    guard options.showsState else { return }
    do throws(ArchiveError) {
      let listing = try NodeListing(node)
      listing.visitLines(ValueText(sensitive: options.sensitive, style: options.style)) { output.write("\(indentation)\($0)\n") }
    } catch {
      output.write("\(indentation)\(options.style.alarming("(state lost: \(error.code))"))\n")
      note(error)
    }
  }

  /// Notes what could not be read; a damaged block is met for every node in it and noted once.
  mutating func note(_ error: ArchiveError) {
    if let lastNoted, lastNoted.offset == error.offset, lastNoted.code == error.code { return }
    lastNoted = (error.offset, error.code)
    errorCount += 1
    if errors.count < 100 { errors.append(error) }
  }
}

extension ArchivedNode {
  /// Type tag and schema version.
  var typeText: String? {
    type.map { schemaVersion == 0 ? $0.escapedForDisplay : "\($0.escapedForDisplay) \(schemaVersion)" }
  }
}
