package import RestorationArchive

extension NodeReader {
  /// Calls `body` with each node below this one, or the error of one that cannot be read, and with its level, 0 for a child;
  /// parents come first.
  ///
  /// The maximum path depth bounds the recursion. With a depth, nodes further below are left out.
  func visitDescendants(depth: Int? = nil, below level: Int = 0, _ body: (Result<NodeReader, ArchiveError>, Int) -> Void) {
    if depth == level { return }
    visitChildren { child in
      body(child, level)
      if case .success(let node) = child { node.visitDescendants(depth: depth, below: level + 1, body) }
    }
  }
}

extension ArchiveReader {
  /// Calls `body` with each node that a path leads to, beginning with the application.
  func visitNodes(depth: Int? = nil, _ body: (NodeReader) -> Void) {
    guard let application = try? application() else { return }
    body(application)
    application.visitDescendants(depth: depth) { child, _ in if case .success(let node) = child { body(node) } }
  }
}

/// The contents of a node: provider, attributes and state.
package struct NodeListing: Sendable {
  package let node: NodeReader
  /// The reference that a provider needs to create the node's object.
  package let provider: ProviderReference?
  /// Annotations by tools or hosts.
  package let attributes: ArchiveDictionary
  /// The state that the object encoded.
  package let state: ArchiveDictionary

  /// Reads the contents of a node.
  ///
  /// - Throws: `block-damaged`; the error in a value; `value-budget`.
  package init(_ node: NodeReader) throws(ArchiveError) {
    self.node = node
    (provider, attributes, state) = try node.everything()
  }

  package var isEmpty: Bool { provider == nil && attributes.isEmpty && state.isEmpty }

  /// Calls `body` with each line of the contents, and for a reference with its path.
  package func visitLines(_ values: ValueText, _ body: (String, RestorationPath?) -> Void) {
    if let provider {
      body("provider: \(provider.name.escapedForDisplay) \(provider.identifier.escapedForDisplay)", nil)
    }
    if !attributes.isEmpty {
      body("attributes:", nil)
      values.visitLines(of: attributes, indentation: "  ", body)
    }
    values.visitLines(of: state, body)
  }

  package func write(to output: inout some TextOutputStream, _ values: ValueText) {
    visitLines(values) { line, _ in output.write(line + "\n") }
  }

  /// Writes the node without its descendants in the JSON form of archives (`Spec/json.md`).
  ///
  /// Sensitive values are null if redacted.
  package func writeJSON(to output: inout some TextOutputStream, _ sensitive: SensitiveValues) {
    let (attributes, state) = json(sensitive)
    JSONTextWriter.write(to: &output) { writer in
      writer.object([
        "attributes": attributes, "identifier": node.identifier, "provider": provider,
        "schema": node.schemaVersion == 0 ? nil : node.schemaVersion, "state": state, "type": node.type,
      ])
      writer.raw("\n")
    }
  }

  /// Returns attributes and state in JSON, unless they are empty.
  func json(_ sensitive: SensitiveValues) -> (attributes: JSONEntries?, state: JSONEntries?) {
    func json(_ entries: ArchiveDictionary) -> JSONEntries? { entries.isEmpty ? nil : JSONEntries(entries: entries, sensitive: sensitive) }
    return (json(attributes), json(state))
  }
}
