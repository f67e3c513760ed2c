public import RestorationArchive

/// What one node holds: provider, attributes and state.
public struct NodeListing: Sendable {
  /// The node.
  public let node: ArchivedNode
  /// What tells a declarative provider what to make for it.
  public let provider: ProviderReference?
  /// What tools or hosts noted about it.
  public let attributes: ArchiveDictionary
  /// What the object encoded.
  public let state: ArchiveDictionary

  /// Reads the contents of a node.
  ///
  /// - Throws: `block-damaged`; what is wrong with a value; `value-budget`.
  public init(_ node: ArchivedNode) throws(ArchiveError) {
    self.node = node
    provider = try node.provider()
    attributes = try node.attributes()
    state = try node.state()
  }

  /// The contents as lines of text.
  public func lines(_ values: ValueText) -> [String] {
    var lines: [String] = []
    if let provider {
      lines.append("provider: \(provider.name.escapedForDisplay) \(provider.identifier.escapedForDisplay)")
    }
    if !attributes.isEmpty { lines += ["attributes:"] + values.lines(of: attributes, indentation: "  ") }
    return lines + values.lines(of: state)
  }

  /// The node, without those below it, in the JSON form of archives (`Spec/json.md`); sensitive values are written or are null.
  public func json(_ sensitive: SensitiveValues) -> String {
    var writer = JSONTextWriter()
    writer.object { writer in
      writer.attributes(of: self, sensitive)
      if let identifier = node.identifier { writer.member("identifier") { $0.string(identifier) } }
      writer.provider(of: self)
      if node.schemaVersion != 0 { writer.member("schema") { $0.raw("\(node.schemaVersion)") } }
      writer.state(of: self, sensitive)
      if let type = node.type { writer.member("type") { $0.string(type) } }
    }
    writer.raw("\n")
    return writer.takeText()
  }
}

extension JSONTextWriter {
  mutating func attributes(of listing: NodeListing, _ sensitive: SensitiveValues) {
    if !listing.attributes.isEmpty { member("attributes") { $0.entries(listing.attributes, sensitive: sensitive) } }
  }

  mutating func provider(of listing: NodeListing) {
    if let provider = listing.provider { member("provider") { $0.provider(provider) } }
  }

  mutating func state(of listing: NodeListing, _ sensitive: SensitiveValues) {
    if !listing.state.isEmpty { member("state") { $0.entries(listing.state, sensitive: sensitive) } }
  }
}
