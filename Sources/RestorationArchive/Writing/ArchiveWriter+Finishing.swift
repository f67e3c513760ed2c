import ArchiveFormat
public import FoundationValues

// The end of an archive, and the start of the next one.
extension ArchiveWriter {
  /// Prepares the writer for another archive, and discards an unfinished one.
  ///
  /// Apps that save repeatedly should keep one writer. It remembers the keys and types of the previous archive, and its
  /// length, so that an archive with the same keys takes three quarters of the time. Nodes and encoders of the previous
  /// archive become invalid.
  ///
  /// - Parameters:
  ///   - header: The header of the next archive.
  ///   - expectedNodeCount: The approximate number of nodes; nil for the number in the previous archive.
  ///   - userInfo: User information for the `encode(to:)` of encoded types.
  /// - Throws: `not-storable` while a node is being encoded; nothing changes.
  public func reset(
    header: ArchiveHeader = ArchiveHeader(), expectedNodeCount: Int? = nil, userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws(ArchiveError) {
    guard !isEncoding else {
      throw ArchiveError(.notStorable, "writer", expected: "no reset() while a node is being encoded")
    }
    assembler.reset(nodeCount: Self.nodeCount(expectedNodeCount ?? (isFinished ? lastNodeCount : nodeCount)))
    self.header = header
    self.userInfo = userInfo
    context = nil
    sections = []
    // The encoder's user information and known keys belong to the previous archive.
    coder = nil
    isFinished = false
    archive &+= 1
  }

  /// Assembles the archive.
  ///
  /// Call ``reset(header:expectedNodeCount:userInfo:)`` before using the writer again.
  ///
  /// - Throws: `duplicate-identifier`, with the path; `header-type`, `unknown-header-key` or `string-length` for the
  ///   header; `section-order` for a repeated section; `table-size` for too many header entries or sections;
  ///   `file-too-large`; `not-storable` while a node is being encoded, and on a second call.
  /// - Complexity: O(n log s + b), where n is the number of nodes, s the largest number of siblings, and b the length
  ///   of the archive in bytes.
  public func finish() throws(ArchiveError) -> Data {
    try assembler.archive(with: surroundings())
  }

  /// Returns the encoded content, so that the archive can be assembled elsewhere; for a small archive, this is a fourth
  /// of the work.
  ///
  /// An app that saves does no more than this on the thread of its objects. Call
  /// ``reset(header:expectedNodeCount:userInfo:)`` before using the writer again; there is no need to wait for the
  /// assembly. Nodes of this archive become invalid.
  ///
  /// - Throws: The errors of ``finish()`` except `file-too-large`, which ``EncodedArchive/data()`` throws.
  /// - Complexity: O(n log f) in the number of nodes, where f is the largest number of siblings.
  public func finishEncoding() throws(ArchiveError) -> EncodedArchive {
    let surroundings = try surroundings()
    try ArchiveError.wrapping(path: assembler.path(of:)) { () throws(FormatError) in try assembler.checkSiblings() }
    return finishEncoding(surroundings, keepsNodes: true)
  }

  /// Returns the content like ``finishEncoding()``, for nodes whose siblings are known to have distinct identifiers.
  ///
  /// If `keepsNodes` is false, the nodes' memory is released as soon as the archive has been assembled.
  package func finishEncodingDistinct(keepsNodes: Bool) throws(ArchiveError) -> EncodedArchive {
    finishEncoding(try surroundings(), keepsNodes: keepsNodes)
  }

  func finishEncoding(_ surroundings: ArchiveSurroundings, keepsNodes: Bool) -> EncodedArchive {
    coder = nil
    archive &+= 1
    guard isKnownUniquelyReferenced(&assembler) else {
      // A caller has retained an encoder. It can no longer encode, but still asks the assembler for paths in its
      // errors, so the assembler must stay on this thread.
      let encoded = EncodedArchive(Result { () throws(ArchiveError) in try assembler.archive(with: surroundings) })
      assembler = ArchiveAssembler()
      return encoded
    }
    let returned = returned ?? AssemblerPool()
    self.returned = returned
    let encoded = EncodedArchive(assembler, surroundings, keepsNodes: keepsNodes, returned: returned)
    assembler = returned.take() ?? ArchiveAssembler()
    return encoded
  }

  /// Finishes the archive and returns its parts other than nodes.
  func surroundings() throws(ArchiveError) -> ArchiveSurroundings {
    guard !isFinished, !isEncoding else {
      throw ArchiveError(.notStorable, "writer", expected: "finish() or finishEncoding() once")
    }
    isFinished = true
    lastNodeCount = nodeCount
    let header = try header.headerEntries()
    let sections = sections.compactMap { section in section.formatCode.map { ($0, [UInt8](section.data)) } }
    return try ArchiveError.wrapping { () throws(FormatError) in
      try ArchiveSurroundings(header: header, sections: sections, minorVersion: minorVersion, isLink: assembler.isLink)
    }
  }
}

// Links: archives that hold what changed since another file (Spec §15).
extension ArchiveWriter {
  /// Makes the application state of a link empty.
  func encodeEmptyApplicationState() {
    assembler.openState(of: 0)
    assembler.beginEntries()
    assembler.endState()
  }

  /// Adds a node to a link that is as before, as the way to others, or removes a node, with everything below it.
  ///
  /// - Throws: The errors of ``addNode(_:under:type:schemaVersion:origin:)``.
  func addNode(_ identifier: String, under parent: Node?, change: LinkTable.Change) throws(ArchiveError) -> Node {
    let parent = number(of: parent)
    guard assembler.isLink, !isEncoding, parent < assembler.count else { throw Self.noLink }
    return try ArchiveError.wrapping(path: { _ in path(of: parent) }) { () throws(FormatError) in
      Node(number: try assembler.addNode(parent: parent, identifier: identifier, change: change), archive: archive)
    }
  }

  /// Gives a node of a link its place among its siblings: directly after one of them, or before all others if `sibling`
  /// is nil.
  ///
  /// A new node needs a place, and so does each one that moves among its siblings. Each node has one place, and each
  /// sibling one node after it.
  ///
  /// - Throws: `no-parent` for a node of another archive, and outside of a link.
  func place(_ node: Node, after sibling: Node?) throws(ArchiveError) {
    let (node, sibling) = (number(of: node), number(of: sibling))
    guard assembler.isLink, !isFinished, !isEncoding, max(node, sibling) < assembler.count else { throw Self.noLink }
    assembler.place(node, after: sibling)
  }

  private static var noLink: ArchiveError {
    ArchiveError(.noParent, "node of a link", expected: "a parent that was added to this link, before it was finished")
  }
}
