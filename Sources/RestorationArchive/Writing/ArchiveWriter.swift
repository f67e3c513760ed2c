#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ArchiveFormat

/// Makes an archive of nodes that are given to it one by one.
///
///     let writer = ArchiveWriter(header: ArchiveHeader(bundleVersion: "42", timestamp: now))
///     try writer.encodeApplicationState { try $0.encode("dark", forKey: "theme") }
///     let root = try writer.addNode("root", type: "Window", schemaVersion: 2) { coder in
///       try coder.encode(zoom, forKey: "zoom")
///     }
///     try writer.addNode("list", under: root) { try $0.encode(7, forKey: "row") }
///     let archive = try writer.finish()
///
/// Parents come before their children, siblings in the order in which they are to be restored. A node's state is encoded when it is added
/// or later; the archive comes out the same, and fastest when nodes are added and encoded as a walk from the root down meets them.
///
/// The same content gives the same bytes, in whatever order keys were encoded. No clock is read.
///
/// A writer makes one archive; ``reset(header:expectedNodeCount:userInfo:)`` makes it ready for another, for apps that save often.
public final class ArchiveWriter {
  /// A node that was added.
  public struct Node: Sendable, Hashable {
    fileprivate let index: UInt32
    /// Which archive of its writer it was added to.
    fileprivate let archive: UInt32

    fileprivate init(number: Int, archive: UInt32) {
      index = UInt32(truncatingIfNeeded: number)
      self.archive = archive
    }
  }

  /// Another one after each ``handOver()``.
  private(set) var assembler: ArchiveAssembler
  /// Where assemblers come back to that were handed over.
  private var returned: AssemblerReturn?
  private var userInfo: [CodingUserInfoKey: Any]
  private let minorVersion: UInt16
  var header: ArchiveHeader
  private var sections: [ArchiveSection] = []
  /// The encoder of the node that was encoded last, unless somebody kept it or its encoding failed; it serves the next one too.
  private var coder: StateEncoder?
  private var isFinished = false
  /// How many nodes the archive had that was finished last.
  private var lastNodeCount = 0
  private var isEncoding = false
  /// How many archives came before this one.
  private var archive: UInt32 = 0

  /// Makes a writer.
  ///
  /// - Parameters:
  ///   - header: What the archive says about itself.
  ///   - expectedNodeCount: About how many nodes will be added; a good guess saves moving bytes at the end.
  ///   - userInfo: Information for the `encode(to:)` of the types that are encoded.
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

  /// Makes a writer of an archive of the same version as one that was read, which has its header and may hold what only that version allows.
  package convenience init(like archive: ArchiveReader, expectedNodeCount: Int = 0) {
    self.init(
      header: archive.header, expectedNodeCount: expectedNodeCount, userInfo: [:], minorVersion: archive.records.prefix.minorVersion)
  }

  private static func nodeCount(_ expected: Int) -> Int { max(0, min(expected, 1 << 24)) }

  /// The number of a node in the archive, 0 for the app; that of a node of an earlier archive is too large for any.
  func number(of node: Node?) -> Int {
    guard let node else { return 0 }
    return node.archive == archive ? Int(node.index) : .max
  }

  // MARK: Adding

  /// Encodes the application state: what the app as a whole wants to find again, before any node.
  ///
  /// - Throws: What `body` throws; the state is then as if it had not been encoded.
  public func encodeApplicationState(_ body: (StateEncoder) throws -> Void) throws {
    try encodeState(ofNumber: 0, provider: nil, attributes: nil, body)
  }

  /// Adds a node without state; ``encodeState(of:provider:attributes:_:)`` gives it one.
  ///
  /// - Parameters:
  ///   - identifier: Its name among its siblings, 1 to 1,024 bytes.
  ///   - parent: The node it lies under; nil for a root.
  ///   - type: The tag of its type, a name that you chose, 1 to 1,024 bytes.
  ///   - schemaVersion: The version of what its state looks like; counts only with a type.
  ///   - origin: Where it was carried over from; nil for a node of this save.
  /// - Returns: The node, for adding others under it.
  /// - Throws: `string-length` for the identifier, the tag or the origin's version; `path-depth`; `no-parent` for a parent of another archive,
  ///   and while a node is being encoded; `table-size` for too many types or origins; `file-too-large`. The same identifier twice among
  ///   siblings is found by ``finish()`` and ``handOver()``.
  @discardableResult
  public func addNode(
    _ identifier: String, under parent: Node? = nil, type: String? = nil, schemaVersion: UInt32 = 0, origin: ArchiveOrigin? = nil
  ) throws(ArchiveError) -> Node {
    try add(identifier, under: parent, type, schemaVersion, origin, to: assembler, opensState: false)
  }

  private func add(
    _ identifier: String, under parent: Node?, _ type: String?, _ schemaVersion: UInt32, _ origin: ArchiveOrigin?,
    to assembler: ArchiveAssembler, opensState: Bool
  ) throws(ArchiveError) -> Node {
    let parentNumber = number(of: parent)
    do throws(FormatError) {
      guard !isFinished, !isEncoding, parentNumber < assembler.count else {
        throw FormatError(.noParent, at: nil, "node", expected: .text("a parent that was added to this archive, before it was finished"))
      }
      let number = try assembler.addNode(
        parent: parentNumber, identifier: identifier, type: type, schemaVersion: schemaVersion, origin: origin?.record,
        opensState: opensState)
      return Node(number: number, archive: archive)
    } catch {
      throw ArchiveError(error, path: path(of: parentNumber))
    }
  }

  /// Adds a node and encodes its state.
  ///
  /// - Throws: As ``addNode(_:under:type:schemaVersion:origin:)``, and what `body` throws; the node is then there, without state.
  @discardableResult
  public func addNode(
    _ identifier: String, under parent: Node? = nil, type: String? = nil, schemaVersion: UInt32 = 0, origin: ArchiveOrigin? = nil,
    provider: ProviderReference? = nil, attributes: ArchiveDictionary? = nil, encoding body: (StateEncoder) throws -> Void
  ) throws -> Node {
    try addNode(
      identifier, under: parent, type: type, schemaVersion: schemaVersion, origin: origin, provider: provider, attributes: attributes,
      added: { _ in }, encoding: body)
  }

  /// As the public one; `added` is called with the node before its state is encoded.
  @discardableResult @inline(__always)
  package func addNode(
    _ identifier: String, under parent: Node?, type: String?, schemaVersion: UInt32, origin: ArchiveOrigin? = nil,
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

  /// Encodes the state of a node, once.
  ///
  /// - Parameters:
  ///   - node: The node.
  ///   - provider: What tells a declarative provider what to make for it.
  ///   - attributes: What tools or hosts note about it. Keys contain a full stop.
  ///   - body: Encodes. Its encoder must not be used afterwards.
  /// - Throws: What `body` throws; the node is then without state, and may be encoded again. `not-storable` if it has been encoded.
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

  /// Encodes the state of a node, whose entries were begun.
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
      coder.assembler.dropState()
      throw error
    }
    isEncoding = false
    coder.assembler.endState()
  }

  /// Encodes the state of a node, or of the app if it is nil, that is there as a value.
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
      throw ArchiveError(
        FormatError(.notStorable, at: nil, "state", expected: .text("one state for each node, one after the other, before the end")),
        path: path(of: number))
    }
    assembler.openState(of: number)
    if provider != nil || attributes?.isEmpty == false { try write(provider, attributes ?? [:], of: number) }
    assembler.beginEntries()
  }

  /// An encoder for the next state.
  ///
  /// It is taken away from the writer and put back (``keep(_:)``), rather than shared with it, which would count references for each node. So
  /// would asking the writer for the assembler, which the encoder has too.
  @inline(__always)
  private func takeCoder() -> StateEncoder {
    coder.take() ?? StateEncoder(assembler, userInfo: userInfo)
  }

  /// Takes the encoder back, unless somebody kept it.
  @inline(__always)
  private func keep(_ coder: consuming StateEncoder) {
    var coder: StateEncoder? = consume coder
    if isKnownUniquelyReferenced(&coder) { swap(&self.coder, &coder) }
  }

  /// Writes what precedes the entries of the state that was opened.
  private func write(_ provider: ProviderReference?, _ attributes: ArchiveDictionary, of number: Int) throws(ArchiveError) {
    var key: String?
    do throws(FormatError) {
      if let provider {
        for name in [provider.name, provider.identifier] where !FormatLimits.providerName.contains(name.utf8.count) {
          throw FormatError(
            .stringLength, at: nil, "provider reference", expected: .text("1 to \(FormatLimits.providerName.upperBound) bytes"),
            found: .number(UInt64(name.utf8.count)))
        }
      }
      if let provider { assembler.writeProvider(name: provider.name, identifier: provider.identifier) }
      if !attributes.isEmpty {
        assembler.beginAttributes()
        for entry in attributes {
          key = entry.key
          try checkAttribute(entry)
          try assembler.states.beginEntry(entry.key)
          try assembler.states.write(entry.value)
        }
        assembler.endAttributes()
      }
    } catch {
      assembler.dropState()
      throw ArchiveError(error, path: path(of: number), key: key)
    }
  }

  /// Whether a node may have an attribute under a key, in an archive of the version that this package writes (R-3.3-3).
  package static func canStore(attribute key: String) -> Bool { key.utf8.contains(UInt8(ascii: ".")) }

  private func checkAttribute(_ entry: ArchiveDictionary.Entry) throws(FormatError) {
    guard !entry.key.isEmpty else { throw FormatError(.emptyKey, at: nil, "attribute key", expected: .text("at least one byte")) }
    guard minorVersion > 0 || Self.canStore(attribute: entry.key) else {
      throw FormatError(.unknownAttribute, at: nil, "attribute key", expected: .text("a key with a full stop"))
    }
    guard !entry.isSensitive else {
      throw FormatError(.sensitiveMisplaced, at: nil, "attribute", expected: .text("one that is not sensitive"))
    }
  }

  /// Adds an ancillary section.
  public func addSection(_ section: ArchiveSection) {
    sections.append(section)
  }

  /// The path of a node that was added.
  public func path(of node: Node) -> RestorationPath {
    path(of: number(of: node))
  }

  func path(of number: Int) -> RestorationPath {
    assembler.path(of: number)
  }

  // MARK: Finishing

  /// Makes the writer ready for another archive; what was added and not finished is dropped.
  ///
  /// An app that saves again and again keeps one writer: it remembers the keys and types of the archive before, and how long it was, so
  /// that one with the same keys takes three quarters of the time. Nodes and encoders that it gave out before can no longer be used.
  ///
  /// - Parameters:
  ///   - header: What the next archive says about itself.
  ///   - expectedNodeCount: About how many nodes will be added; nil for as many as last time.
  ///   - userInfo: Information for the `encode(to:)` of the types that are encoded.
  /// - Throws: `not-storable` while a node is being encoded; nothing has changed then.
  public func reset(
    header: ArchiveHeader = ArchiveHeader(), expectedNodeCount: Int? = nil, userInfo: [CodingUserInfoKey: Any] = [:]
  ) throws(ArchiveError) {
    guard !isEncoding else {
      throw ArchiveError(FormatError(.notStorable, at: nil, "writer", expected: .text("no reset() while a node is being encoded")))
    }
    assembler.reset(nodeCount: Self.nodeCount(expectedNodeCount ?? (isFinished ? lastNodeCount : nodeCount)))
    self.header = header
    self.userInfo = userInfo
    sections = []
    // Its user information and the keys it remembers are those of the archive before.
    coder = nil
    isFinished = false
    archive &+= 1
  }

  /// Puts the archive together.
  ///
  /// The writer can only be used again after ``reset(header:expectedNodeCount:userInfo:)``.
  ///
  /// - Throws: `duplicate-identifier`, naming the path; for the header `header-type`, `unknown-header-key`, `string-length`;
  ///   `section-order` for a section twice; `table-size` for too many entries of the header or sections; `file-too-large`; `not-storable`
  ///   while a node is being encoded, and the second time.
  /// - Complexity: O(n log f) in the nodes, where f is the largest number of siblings, and O(n) in the bytes.
  public func finish() throws(ArchiveError) -> Data {
    try assembler.archive(with: surroundings())
  }

  /// Hands over what was encoded, for the archive to be put together elsewhere: a fourth of the work for a small one.
  ///
  /// An app that saves does no more than this on the thread that its objects belong to. The writer can only be used again after
  /// ``reset(header:expectedNodeCount:userInfo:)``, which need not wait; nodes that it gave out can no longer be used.
  ///
  /// - Throws: As ``finish()``, but for `file-too-large`, which ``EncodedArchive/data()`` throws.
  /// - Complexity: O(n log f) in the nodes, where f is the largest number of siblings.
  public func handOver() throws(ArchiveError) -> EncodedArchive {
    let surroundings = try surroundings()
    do throws(FormatError) {
      try assembler.checkSiblings()
    } catch {
      throw ArchiveError(error, path: error.node.map { path(of: $0) })
    }
    return handOver(surroundings, keepsNodes: true)
  }

  /// As ``handOver()``, for nodes of which no two siblings have the same identifier.
  ///
  /// If `keepsNodes` is false, the memory that they take is given back as soon as the archive is put together.
  package func handOverDistinct(keepsNodes: Bool) throws(ArchiveError) -> EncodedArchive {
    handOver(try surroundings(), keepsNodes: keepsNodes)
  }

  private func handOver(_ surroundings: ArchiveSurroundings, keepsNodes: Bool) -> EncodedArchive {
    coder = nil
    archive &+= 1
    guard isKnownUniquelyReferenced(&assembler) else {
      // Somebody kept a coder, with which nothing can be encoded any more, but which asks for paths to say so: it stays on this thread.
      let encoded = EncodedArchive(Result { () throws(ArchiveError) in try assembler.archive(with: surroundings) })
      assembler = ArchiveAssembler()
      return encoded
    }
    let returned = returned ?? AssemblerReturn()
    self.returned = returned
    let encoded = EncodedArchive(LentAssembler(assembler: assembler), surroundings, keepsNodes: keepsNodes, returned: returned)
    assembler = returned.take() ?? ArchiveAssembler()
    return encoded
  }

  /// What the archive has besides nodes; nothing can be added any more.
  private func surroundings() throws(ArchiveError) -> ArchiveSurroundings {
    guard !isFinished, !isEncoding else {
      throw ArchiveError(FormatError(.notStorable, at: nil, "writer", expected: .text("finish() or handOver() once")))
    }
    isFinished = true
    lastNodeCount = nodeCount
    let header = try header.headerEntries()
    let sections = sections.compactMap { section in section.formatCode.map { ($0, [UInt8](section.data)) } }
    do throws(FormatError) {
      return try ArchiveSurroundings(header: header, sections: sections, minorVersion: minorVersion)
    } catch {
      throw ArchiveError(error)
    }
  }
}
