import ArchiveFormat

/// A node of an open archive: its record was read and verified, its state and children are read when they are asked for.
public struct ArchivedNode: Sendable {
  let archive: ArchiveReader
  let node: RecordReader.Node

  /// The index of its record.
  package var recordIndex: Int { node.index }

  /// The identifiers from the root down.
  public let path: RestorationPath

  /// Its name among its siblings; nil for the app itself.
  public var identifier: String? { path.identifier }

  private var typeRecord: TypeRecord? {
    archive.records.metadata.type(node.record.type)
  }

  /// The tag of its type, if it has one.
  public var type: String? { typeRecord?.tag }

  /// The version of what its state looks like; 0 without a type.
  public var schemaVersion: UInt32 { typeRecord?.schemaVersion ?? 0 }

  /// Where it was carried over from; nil if it is of the save that wrote the archive.
  public var origin: ArchiveOrigin? {
    archive.records.metadata.origin(node.record.origin).map { ArchiveOrigin($0) }
  }

  /// How many bytes its state, provider and attributes take in the archive.
  public var stateByteCount: Int { Int(node.record.stateLength) }

  /// The number of nodes directly below it.
  public var childCount: Int { Int(node.record.childCount) }

  // MARK: Below it

  /// The child with an identifier, or nil if there is none.
  ///
  /// - Throws: `block-damaged` if a damaged block hides it.
  public func child(_ identifier: String) throws(ArchiveError) -> ArchivedNode? {
    guard FormatLimits.identifier.contains(identifier.utf8.count), path.count < FormatLimits.pathComponents else { return nil }
    let childPath = path.appending(identifier)
    do throws(FormatError) {
      return try archive.records.child(of: node, identifier: identifier).map {
        ArchivedNode(archive: archive, node: $0, path: childPath)
      }
    } catch {
      throw ArchiveError(error, path: childPath)
    }
  }

  /// The nodes directly below it, in saved order.
  ///
  /// - Throws: `block-damaged` if one of them cannot be read; ``visitChildren(_:)`` gives the others.
  public func children() throws(ArchiveError) -> [ArchivedNode] {
    var children: [ArchivedNode] = []
    children.reserveCapacity(min(childCount, 4096))
    try visitChildren { child throws(ArchiveError) in children.append(try child.get()) }
    return children
  }

  /// Calls `body` with each of the nodes directly below it in saved order, or with the error that hides it; damaged records come
  /// last.
  ///
  /// However many there are, only one is in memory at a time. Records that another node has as its children, which no valid archive has, and
  /// those that lie behind the end of a file that was cut are one error together.
  ///
  /// - Throws: What `body` throws; later nodes are then not visited.
  /// - Complexity: O(n log n) in the number of children.
  public func visitChildren<Failure: Error>(
    _ body: (Result<ArchivedNode, ArchiveError>) throws(Failure) -> Void
  ) throws(Failure) {
    let records = archive.records
    guard let all = node.record.children(index: node.index, count: records.recordCount), !all.isEmpty else { return }
    guard path.count < FormatLimits.pathComponents else { return try body(.failure(ArchiveError(node.depthError, path: path))) }
    let range: Range<Int>
    do throws(FormatError) {
      range = try records.takeChildren(of: node)
    } catch {
      return try body(.failure(ArchiveError(error, path: path)))
    }
    // Records lie in the order of their identifiers; this is the saved order, with the damaged ones at its end.
    var order: [(place: UInt32, index: UInt32)] = []
    order.reserveCapacity(range.count)
    for index in range {
      let place = (try? records.node(at: index))?.record.savedOrder ?? UInt32.max
      order.append((place, UInt32(truncatingIfNeeded: index)))
    }
    order.sort { ($0.place, $0.index) < ($1.place, $1.index) }
    for entry in order { try body(child(at: Int(entry.index))) }
    if range.count < all.count { try body(child(at: all.upperBound - 1)) }
  }

  private func child(at index: Int) -> Result<ArchivedNode, ArchiveError> {
    do throws(FormatError) {
      let child = try archive.records.confirmed(archive.records.node(at: index), childOf: node)
      let identifier = try archive.records.identifier(of: child)
      return .success(ArchivedNode(archive: archive, node: child, path: path.appending(identifier)))
    } catch {
      return .failure(ArchiveError(error, path: path))
    }
  }

  // MARK: In it

  /// Its state.
  ///
  /// - Throws: `block-damaged`; what is wrong with a value; `value-budget`.
  public func state() throws(ArchiveError) -> ArchiveDictionary {
    try contents().state
  }

  /// What tools or hosts noted about it.
  ///
  /// - Throws: As ``state()``.
  public func attributes() throws(ArchiveError) -> ArchiveDictionary {
    try contents().attributes
  }

  /// What tells a declarative provider what to make for it.
  ///
  /// - Throws: As ``state()``.
  public func provider() throws(ArchiveError) -> ProviderReference? {
    try contents().provider
  }

  /// Provider, attributes and state, read at once.
  func contents() throws(ArchiveError) -> StateContents {
    var reader = ValueReader(
      keys: archive.records.metadata.keys, isStrict: archive.isStrict, budget: ValueBudget(archive.limits))
    do throws(FormatError) {
      let bytes = try archive.records.state(of: node)
      return try reader.readContents(of: bytes, flags: node.record.flags)
    } catch {
      throw ArchiveError(error, path: path, key: reader.outermostKey)
    }
  }
}

extension ArchiveReader {
  /// Whether the archive is of a version that this build knows, so that everything without a full stop must be registered.
  var isStrict: Bool { records.prefix.minorVersion <= ArchivePrefix.minorVersion }
}
