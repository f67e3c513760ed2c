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

  /// Whether there is nothing to show.
  public var isEmpty: Bool { provider == nil && attributes.isEmpty && state.isEmpty }

  /// Calls `body` with each line of the contents.
  public func visitLines(_ values: ValueText, _ body: (String) -> Void) {
    if let provider {
      body("provider: \(provider.name.escapedForDisplay) \(provider.identifier.escapedForDisplay)")
    }
    if !attributes.isEmpty {
      body("attributes:")
      values.visitLines(of: attributes, indentation: "  ", body)
    }
    values.visitLines(of: state, body)
  }

  /// Writes the contents as lines of text.
  public func write(to output: inout some TextOutputStream, _ values: ValueText) {
    visitLines(values) { output.write($0 + "\n") }
  }

  /// Writes the node, without those below it, in the JSON form of archives (`Spec/json.md`); sensitive values are written or are null.
  public func writeJSON(to output: inout some TextOutputStream, _ sensitive: SensitiveValues) {
    var writer = JSONTextWriter()
    writer.object { writer in
      writer.attributes(of: self, sensitive, to: &output)
      if let identifier = node.identifier { writer.member("identifier") { $0.string(identifier) } }
      writer.provider(of: self)
      if node.schemaVersion != 0 { writer.member("schema") { $0.raw("\(node.schemaVersion)") } }
      writer.state(of: self, sensitive, to: &output)
      if let type = node.type { writer.member("type") { $0.string(type) } }
    }
    writer.raw("\n")
    output.write(writer.takeText())
  }
}

extension JSONTextWriter {
  mutating func attributes(of listing: NodeListing, _ sensitive: SensitiveValues, to output: inout some TextOutputStream) {
    if !listing.attributes.isEmpty { member("attributes") { $0.entries(listing.attributes, sensitive: sensitive, to: &output) } }
  }

  mutating func provider(of listing: NodeListing) {
    if let provider = listing.provider { member("provider") { $0.provider(provider) } }
  }

  mutating func state(of listing: NodeListing, _ sensitive: SensitiveValues, to output: inout some TextOutputStream) {
    if !listing.state.isEmpty { member("state") { $0.entries(listing.state, sensitive: sensitive, to: &output) } }
  }
}
