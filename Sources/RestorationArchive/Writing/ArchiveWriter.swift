import ArchiveFormat

/// A writer that builds an archive from nodes added one by one.
///
///     let writer = ArchiveWriter(header: ArchiveHeader(bundleVersion: "42", timestamp: now))
///     try writer.encodeApplicationState { try $0.encode("dark", forKey: "theme") }
///     let root = try writer.addNode("root", type: "Window", schemaVersion: 2) { coder in
///       try coder.encode(zoom, forKey: "zoom")
///     }
///     try writer.addNode("list", under: root) { try $0.encode(7, forKey: "row") }
///     let archive = try writer.finish()
///
/// Add parents before their children, and siblings in the order in which they are to be restored. A node's state can be
/// encoded when the node is added or later. The result is the same; adding and encoding nodes in depth-first order from
/// the root is fastest.
///
/// The same content gives the same bytes, in whatever order keys are encoded. The writer reads no clock.
///
/// A writer builds one archive at a time; apps that save often reuse it with
/// ``reset(header:expectedNodeCount:userInfo:)``.
public final class ArchiveWriter {
  /// A node that has been added to a writer.
  public struct Node: Sendable, Hashable {
    fileprivate let index: UInt32
    /// The sequence number of the archive that the node was added to.
    fileprivate let archive: UInt32

    init(number: Int, archive: UInt32) {
      index = UInt32(truncatingIfNeeded: number)
      self.archive = archive
    }
  }

  /// The assembler of the current archive; replaced after each ``finishEncoding()``.
  var assembler: ArchiveAssembler
  /// The pool to which assemblers return after their archives have been assembled.
  var returned: AssemblerPool?
  var userInfo: [CodingUserInfoKey: Any]
  let minorVersion: UInt16
  package internal(set) var header: ArchiveHeader
  /// The engine's own context, which the encoders know; looking it up in the user information would take a search.
  ///
  /// Nil after ``reset(header:expectedNodeCount:userInfo:)``.
  package var context: AnyObject?
  var sections: [ArchiveSection] = []
  /// The encoder of the last node, reused for the next one; nil if a caller retained it or its encoding failed.
  var coder: StateEncoder?
  var isFinished = false
  /// The number of nodes in the last finished archive.
  var lastNodeCount = 0
  var isEncoding = false
  /// The sequence number of the current archive.
  var archive: UInt32 = 0

  /// Creates a writer.
  ///
  /// - Parameters:
  ///   - header: The archive's header.
  ///   - expectedNodeCount: The approximate number of nodes; a good estimate avoids moving bytes at the end.
  ///   - userInfo: User information for the `encode(to:)` of encoded types.
  public convenience init(
    header: ArchiveHeader = ArchiveHeader(), expectedNodeCount: Int = 0, userInfo: [CodingUserInfoKey: Any] = [:]
  ) {
    self.init(header: header, expectedNodeCount: expectedNodeCount, userInfo: userInfo, minorVersion: 0)
  }

  init(header: ArchiveHeader, expectedNodeCount: Int, userInfo: [CodingUserInfoKey: Any], minorVersion: UInt16) {
    self.header = header
    self.userInfo = userInfo
    self.minorVersion = minorVersion
    assembler = ArchiveAssembler(nodeCount: Self.nodeCount(expectedNodeCount))
  }

  /// Creates a writer of an archive with the header and version of one that was read; it may hold content that only
  /// that version allows.
  package convenience init(like archive: ArchiveReader, expectedNodeCount: Int = 0) {
    self.init(
      header: archive.header, expectedNodeCount: expectedNodeCount, userInfo: [:], minorVersion: archive.records.prefix.minorVersion)
  }

  static func nodeCount(_ expected: Int) -> Int { max(0, min(expected, 1 << 24)) }

  /// Returns the number of a node, 0 for the app; a node of an earlier archive gets an out-of-range number.
  func number(of node: Node?) -> Int {
    guard let node else { return 0 }
    return node.archive == archive ? Int(node.index) : .max
  }

  // MARK: Adding

  /// Encodes the application state: the state of the app as a whole, restored before any node.
  ///
  /// - Throws: Rethrows the error of `body`; the state then counts as not encoded.
  public func encodeApplicationState(_ body: (StateEncoder) throws -> Void) throws {
    try encodeState(ofNumber: 0, provider: nil, attributes: nil, body)
  }

  /// Adds a node without state; ``encodeState(of:provider:attributes:_:)`` adds the state.
  ///
  /// - Parameters:
  ///   - identifier: The node's name among its siblings, 1 to 1,024 bytes.
  ///   - parent: The parent node; nil for a root.
  ///   - type: The node's type tag, a name that you choose, 1 to 1,024 bytes.
  ///   - schemaVersion: The version of the state's schema, 0 to 2^32-1; ignored without a type.
  ///   - origin: The save that the node was carried over from; nil for a node of this save.
  /// - Returns: The node, to be passed as the parent of other nodes.
  /// - Throws: `string-length` for the identifier, the tag or the origin's version; `path-depth`; `no-parent` for a
  ///   parent of another archive, and while a node is being encoded; `not-storable` for another schema version;
  ///   `table-size` for too many types or origins; `file-too-large`. ``finish()`` and ``finishEncoding()`` detect duplicate
  ///   identifiers among siblings.
  @discardableResult
  public func addNode(
    _ identifier: String, under parent: Node? = nil, type: String? = nil, schemaVersion: Int = 0, origin: ArchiveOrigin? = nil
  ) throws(ArchiveError) -> Node {
    try add(identifier, under: parent, type, schemaVersion, origin, to: assembler, opensState: false)
  }

  private func add(
    _ identifier: String, under parent: Node?, _ type: String?, _ schemaVersion: Int, _ origin: ArchiveOrigin?,
    to assembler: ArchiveAssembler, opensState: Bool
  ) throws(ArchiveError) -> Node {
    let parentNumber = number(of: parent)
    do throws(FormatError) {
      guard !isFinished, !isEncoding, parentNumber < assembler.count else {
        throw FormatError(.noParent, at: nil, "node", expected: "a parent that was added to this archive, before it was finished")
      }
      guard let version = UInt32(exactly: schemaVersion) else {
        throw FormatError(.notStorable, at: nil, "schema version", expected: "0 to 4294967295", found: "\(schemaVersion)")
      }
      let number = try assembler.addNode(
        parent: parentNumber, identifier: identifier, type: type, schemaVersion: version, origin: origin?.record,
        opensState: opensState)
      return Node(number: number, archive: archive)
    } catch {
      throw ArchiveError(error, path: path(of: parentNumber))
    }
  }

  /// Adds a node and encodes its state.
  ///
  /// - Throws: The errors of ``addNode(_:under:type:schemaVersion:origin:)``, and rethrows the error of `body`; the
  ///   node has then been added without state.
  @discardableResult
  public func addNode(
    _ identifier: String, under parent: Node? = nil, type: String? = nil, schemaVersion: Int = 0, origin: ArchiveOrigin? = nil,
    provider: ProviderReference? = nil, attributes: ArchiveDictionary? = nil, encoding body: (StateEncoder) throws -> Void
  ) throws -> Node {
    try addNode(
      identifier, under: parent, type: type, schemaVersion: schemaVersion, origin: origin, provider: provider, attributes: attributes,
      added: { _ in }, encoding: body)
  }

  /// Adds a node and encodes its state like the public method, but calls `added` with the node before encoding.
  @discardableResult @inline(__always)
  package func addNode(
    _ identifier: String, under parent: Node?, type: String?, schemaVersion: Int, origin: ArchiveOrigin? = nil,
    provider: ProviderReference?, attributes: ArchiveDictionary? = nil, added: (Node) -> Void,
    encoding body: (StateEncoder) throws -> Void
  ) throws -> Node {
    guard provider == nil, attributes?.isEmpty ?? true else {
      let node = try add(identifier, under: parent, type, schemaVersion, origin, to: assembler, opensState: false)
      added(node)
      try encodeState(of: node, provider: provider, attributes: attributes, body)
      return node
    }
    let coder = takeCoder()
    let node = try add(identifier, under: parent, type, schemaVersion, origin, to: coder.assembler, opensState: true)
    added(node)
    try encode(Int(node.index), with: coder, body)
    keep(consume coder)
    return node
  }

  /// Encodes the state of a node, which can be done once.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - provider: The reference from which a provider creates the node's object.
  ///   - attributes: Notes of tools or hosts about the node. Keys contain a full stop.
  ///   - body: A closure that encodes the state. Its encoder must not be used afterwards.
  /// - Throws: Rethrows the error of `body`; the node then has no state and can be encoded again. `not-storable` if the
  ///   node has been encoded.
  public func encodeState(
    of node: Node, provider: ProviderReference? = nil, attributes: ArchiveDictionary? = nil,
    _ body: (StateEncoder) throws -> Void
  ) throws {
    try encodeState(ofNumber: number(of: node), provider: provider, attributes: attributes, body)
  }

  private func encodeState(
    ofNumber number: Int, provider: ProviderReference?, attributes: ArchiveDictionary?, _ body: (StateEncoder) throws -> Void
  ) throws {
    try openState(of: number, provider, attributes)
    let coder = takeCoder()
    try encode(number, with: coder, body)
    keep(consume coder)
  }

  /// Encodes a node's state, whose entries have been begun.
  @inline(__always)
  private func encode<Failure: Error>(
    _ number: Int, with coder: StateEncoder, _ body: (StateEncoder) throws(Failure) -> Void
  ) throws(Failure) {
    isEncoding = true
    coder.use(for: number)
    do throws(Failure) {
      try body(coder)
    } catch {
      isEncoding = false
      coder.assembler.discardState()
      throw error
    }
    isEncoding = false
    coder.assembler.endState()
  }

  /// Encodes a state that exists as a value; a nil `node` stands for the app.
  package func encode(
    _ state: ArchiveDictionary, of node: Node?, provider: ProviderReference? = nil, attributes: ArchiveDictionary? = nil
  ) throws(ArchiveError) {
    if state.isEmpty, provider == nil, attributes?.isEmpty ?? true { return }
    let number = number(of: node)
    try openState(of: number, provider, attributes)
    let coder = takeCoder()
    try encode(number, with: coder) { coder throws(ArchiveError) in try coder.encodeState(state) }
    keep(consume coder)
  }

  private func openState(
    of number: Int, _ provider: ProviderReference?, _ attributes: ArchiveDictionary?
  ) throws(ArchiveError) {
    guard !isFinished, !isEncoding, number < assembler.count, !assembler.hasState(number) else {
      throw ArchiveError(.notStorable, "state", expected: "at most one state per node, not nested, before finish()", path: path(of: number))
    }
    assembler.openState(of: number)
    if provider != nil || attributes?.isEmpty == false { try write(provider, attributes ?? [:], of: number) }
    assembler.beginEntries()
  }

  /// Returns an encoder for the next state.
  ///
  /// Moved out of the writer and back (``keep(_:)``), because sharing it would cost reference counting for each node.
  /// Getting the assembler from the writer instead of the encoder would cost the same.
  @inline(__always)
  private func takeCoder() -> StateEncoder {
    coder.take() ?? StateEncoder(assembler, userInfo: userInfo, context: context)
  }

  /// Stores the encoder for reuse, unless a caller has retained it.
  @inline(__always)
  private func keep(_ coder: consuming StateEncoder) {
    var coder: StateEncoder? = consume coder
    if isKnownUniquelyReferenced(&coder) { swap(&self.coder, &coder) }
  }

  /// Writes the provider and attributes of the open state record, before its entries.
  private func write(_ provider: ProviderReference?, _ attributes: ArchiveDictionary, of number: Int) throws(ArchiveError) {
    var key: String?
    do throws(FormatError) {
      if let provider {
        for name in [provider.name, provider.identifier] {
          try FormatError.checkLength(name.utf8.count, FormatLimits.providerName, "provider reference")
        }
        assembler.writeProvider(name: provider.name, identifier: provider.identifier)
      }
      if !attributes.isEmpty {
        assembler.beginAttributes()
        for entry in attributes {
          key = entry.key
          try checkAttribute(entry)
          try assembler.states.beginEntry(entry.key)
          try assembler.states.write(entry.value)
        }
        assembler.states.endContainer()
      }
    } catch {
      assembler.discardState()
      throw ArchiveError(error, path: path(of: number), key: key)
    }
  }

  /// Returns whether a node can have an attribute under this key in an archive of the version that this package writes
  /// (R-3.3-3).
  package static func canStore(attribute key: String) -> Bool { key.utf8.contains(UInt8(ascii: ".")) }

  private func checkAttribute(_ entry: ArchiveDictionary.Entry) throws(FormatError) {
    guard !entry.key.isEmpty else { throw FormatError(.emptyKey, at: nil, "attribute key", expected: "at least one byte") }
    guard minorVersion > 0 || Self.canStore(attribute: entry.key) else {
      throw FormatError(.unknownAttribute, at: nil, "attribute key", expected: "a key with a full stop")
    }
    guard !entry.isSensitive else {
      throw FormatError(.sensitiveMisplaced, at: nil, "attribute", expected: "one that is not sensitive")
    }
  }

  /// Adds an ancillary section.
  public func addSection(_ section: ArchiveSection) {
    sections.append(section)
  }

  /// Returns the path of an added node.
  public func path(of node: Node) -> RestorationPath {
    path(of: number(of: node))
  }

  func path(of number: Int) -> RestorationPath {
    assembler.path(of: number)
  }

  // MARK: Changing

  /// The number of nodes added.
  package var nodeCount: Int { assembler.count - 1 }

  /// Whether a node is the most recently added one, and nothing has been encoded for it.
  package func isLastAndEmpty(_ node: Node) -> Bool { assembler.isLastAndEmpty(number(of: node)) }

  /// Removes the most recently added node if nothing has been encoded for it.
  ///
  /// - Returns: Whether the node was removed.
  @discardableResult
  package func removeIfLastAndEmpty(_ node: Node) -> Bool {
    guard isLastAndEmpty(node) else { return false }
    assembler.removeLastNode()
    return true
  }

  /// Changes the saved order of a node's children, which is otherwise the order in which they were added.
  ///
  /// - Parameter children: All children of the node, in the new order.
  /// - Returns: Whether `children` are all children of one node; otherwise nothing changes.
  @discardableResult
  package func reorder(_ children: [Node]) -> Bool {
    assembler.reorder(children.map { number(of: $0) })
  }

  /// Sets or removes a value in the header of the archive being written.
  package func setHeader(_ value: ArchiveValue?, forKey key: String) {
    header.additional[key] = value
  }
}
