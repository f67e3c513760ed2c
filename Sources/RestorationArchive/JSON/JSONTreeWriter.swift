import ArchiveFormat
public import FoundationValues

/// A writer of the JSON form of an archive (section 7 of `Spec/json.md`).
struct JSONTreeWriter {
  private let sensitive: SensitiveValues
  private let origins: [ArchiveOrigin: Int]
  private let tree: ArchiveTree

  init(_ tree: ArchiveTree, sensitive: SensitiveValues) {
    self.tree = tree
    self.sensitive = sensitive
    origins = Dictionary(uniqueKeysWithValues: Self.origins(of: tree).enumerated().map { ($1, $0 + 1) })
  }

  /// Returns the text.
  func text() -> [UInt8] {
    JSONTextWriter.bytes { writer in
      writer.object { write(to: &$0) }
      writer.raw("\n")
    }
  }

  private func write(to writer: inout JSONTextWriter) {
    if !tree.applicationState.isEmpty { writer.member("application") { entries(tree.applicationState, &$0) } }
    if tree.isApplicationUnchanged { writer.member("change") { $0.string("unchanged") } }
    let header = tree.header.entries
    if !header.isEmpty { writer.member("header") { entries(header, &$0) } }
    if tree.minorVersion != 0 { writer.member("minorVersion") { $0.raw("\(tree.minorVersion)") } }
    if !tree.nodes.isEmpty {
      let progress = WorkProgress.begin(tree.nodes.count)
      defer { progress?.end() }
      var count = 0
      writer.member("nodes", objects: tree.nodes) {
        node($1, &$0)
        count += 1
        progress?.advance(to: count)
      }
    }
    let origins = origins.sorted { $0.value < $1.value }.map(\.key)
    if !origins.isEmpty { writer.member("origins", objects: origins) { origin($1, &$0) } }
    writer.member("restorationArchive") { $0.raw("1") }
    // What a section of others holds is not known (R-8-7).
    if !tree.sections.isEmpty, sensitive == .reveal { writer.member("sections", objects: tree.sections) { section($1, &$0) } }
  }

  /// Returns the origins of all nodes, in the order of the archive's table.
  private static func origins(of tree: ArchiveTree) -> [ArchiveOrigin] {
    let encoded = Set(tree.allNodes.compactMap(\.origin)).map { (origin: $0, bytes: $0.record.encoded) }
    return encoded.sorted { $0.bytes.span.precedes($1.bytes.span) }.map(\.origin)
  }

  // MARK: Parts

  private func node(_ node: ArchiveNode, _ writer: inout JSONTextWriter) {
    switch node.change.place {
    case nil: break
    case .first: writer.member("after") { $0.raw("null") }
    case .after(let sibling): writer.member("after") { $0.string(sibling) }
    }
    if !node.attributes.isEmpty { writer.member("attributes") { entries(node.attributes, &$0) } }
    if node.change.kind != .contents { writer.member("change") { $0.string("\(node.change.kind)") } }
    if !node.children.isEmpty { writer.member("children", objects: node.children) { self.node($1, &$0) } }
    writer.member("identifier") { $0.string(node.identifier) }
    if let origin = node.origin, let index = origins[origin] { writer.member("origin") { $0.raw("\(index)") } }
    if let provider = node.provider { writer.member("provider") { $0.provider(provider) } }
    if node.schemaVersion != 0 { writer.member("schema") { $0.raw("\(node.schemaVersion)") } }
    if !node.state.isEmpty { writer.member("state") { entries(node.state, &$0) } }
    if let type = node.type { writer.member("type") { $0.string(type) } }
  }

  private func origin(_ origin: ArchiveOrigin, _ writer: inout JSONTextWriter) {
    if let version = origin.bundleVersion { writer.member("bundleVersion") { $0.string(version) } }
    if origin.sessionsCarried != 0 { writer.member("sessionsCarried") { $0.raw("\(origin.sessionsCarried)") } }
    if let timestamp = origin.timestamp { writer.member("timestamp") { $0.date(timestamp) } }
  }

  private func section(_ section: ArchiveSection, _ writer: inout JSONTextWriter) {
    writer.member("code") { $0.string(section.code) }
    writer.member("data") { $0.string(section.data.base64EncodedString()) }
  }

  private func entries(_ dictionary: ArchiveDictionary, _ writer: inout JSONTextWriter) {
    writer.entries(dictionary, sensitive: sensitive)
  }
}

extension ArchiveTree {
  /// Reads the JSON form of an archive (`Spec/json.md`).
  ///
  /// - Throws: An error for the first fault of the text, with its byte offset.
  /// - Complexity: O(n log n) in the length of the text.
  public init(json: Data) throws(ArchiveError) {
    self = try JSONTreeReader.read([UInt8](json))
  }

  /// Returns the JSON form of the archive: text that reads back as the same archive and is suitable for diffs.
  ///
  /// With redacted values it is neither the same archive nor has it ``sections``, because any may hold sensitive values.
  public func json(sensitiveValues: SensitiveValues = .reveal) -> Data {
    Data(JSONTreeWriter(self, sensitive: sensitiveValues).text())
  }

  /// Whether any entry is marked as sensitive.
  package var hasSensitiveValues: Bool { hasSensitive { _ in true } }

  /// Whether any entry is marked as sensitive whose value is not null or empty.
  package var hasSensitiveContent: Bool { hasSensitive { !$0.isEmpty } }

  private func hasSensitive(_ counts: (ArchiveValue) -> Bool) -> Bool {
    applicationState.hasSensitive(counts) || allNodes.contains { $0.state.hasSensitive(counts) || $0.attributes.hasSensitive(counts) }
  }
}

extension ArchiveDictionary {
  /// Whether any entry, at any depth, is marked as sensitive.
  package var hasSensitiveValues: Bool { hasSensitive { _ in true } }

  /// Whether any entry, at any depth, is marked as sensitive and has a value that counts.
  fileprivate func hasSensitive(_ counts: (ArchiveValue) -> Bool) -> Bool {
    contains { $0.isSensitive && counts($0.value) || $0.value.hasSensitive(counts) }
  }
}

extension ArchiveValue {
  fileprivate func hasSensitive(_ counts: (ArchiveValue) -> Bool) -> Bool {
    switch self {
    case .array(let elements): elements.contains { $0.hasSensitive(counts) }
    case .dictionary(let dictionary): dictionary.hasSensitive(counts)
    default: false
    }
  }

  fileprivate var isEmpty: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .data(let data): data.isEmpty
    case .array(let elements): elements.isEmpty
    case .dictionary(let dictionary): dictionary.isEmpty
    default: false
    }
  }
}
