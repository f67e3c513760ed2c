import FoundationValues
import Locking
import RestorationArchive

/// The state of an app at one moment, as a capture has found it: whole, immutable, and usable on any thread.
///
/// A capture encodes the changes, and shares all other records with the captures before it:
///
///     capture    1 of everything    2              3
///     snapshot   base               base, 2        base, 2, 3
///
/// A link holds the difference between a snapshot and the one on disk. A snapshot that replaces another in a mailbox
/// includes it, so a capture that was never written is not missed.
struct Snapshot: Sendable {
  /// The captures that share records.
  let series: CaptureSeries
  /// The header of the last capture; nil for an archive that was not captured by the engine.
  private var capturedHeader: ArchiveHeader?
  /// The archive that the changes follow, and the number of its capture.
  private var base: EncodedArchive
  private var first: Int
  /// What each capture since has found changed.
  private var changes: [CapturedChanges] = []

  /// Creates the snapshot of a capture of everything, or of another archive that is opened when it is needed.
  init(_ archive: EncodedArchive, header: ArchiveHeader? = nil) {
    series = CaptureSeries()
    base = archive
    first = 0
    capturedHeader = header
  }

  /// Creates a snapshot from the bytes of an archive.
  ///
  /// - Throws: An error if the bytes cannot be opened as an archive.
  init(_ bytes: [UInt8]) throws(ArchiveError) {
    self.init(try EncodedArchive(opening: bytes))
  }

  /// Whether later captures of changes may share its records.
  var isOfCapture: Bool { capturedHeader != nil }

  /// The header.
  ///
  /// - Throws: For an archive that was not captured by the engine, the errors of opening it.
  var header: ArchiveHeader {
    get throws(ArchiveError) {
      if let capturedHeader { return capturedHeader }
      return try base.opened().header
    }
  }

  /// The place among the captures of the series.
  private var number: Int { first + changes.count }

  /// The number of captures of changes after which everything is captured, if a disk takes nothing.
  static let maximumChangeCount = 256

  /// The number of captures since the archive that the snapshot begins with.
  var changeCount: Int { changes.count }

  /// Adds the changes of a later capture.
  mutating func add(_ later: CapturedChanges, header: ArchiveHeader) {
    if let (archive, number) = series.folded.withLock({ $0.take() }), number > first, number <= self.number {
      changes.removeFirst(number - first)
      (base, first) = (archive, number)
    }
    changes.append(later)
    capturedHeader = header
  }

  // MARK: Content

  /// Returns the bytes of the whole archive.
  ///
  /// - Throws: `file-too-large`.
  /// - Complexity: O(n) in the bytes; the archive of a capture of everything is assembled once.
  func bytes() throws(ArchiveError) -> [UInt8] {
    let bytes = [UInt8](try base.data())
    guard !changes.isEmpty else { return bytes }
    var start = self
    (start.changes, start.capturedHeader) = ([], nil)
    guard let link = try link(after: start, base.digest, isForced: true) else { return bytes }
    let chain = ArchiveChain(base: bytes, links: [link])
    if let error = chain.error { throw error }
    return chain.bytes
  }

  /// Returns the bytes of the whole archive, without a copy where it exists.
  ///
  /// - Throws: `file-too-large`.
  func data() throws(ArchiveError) -> Data {
    changes.isEmpty ? try base.data() : Data(try bytes())
  }

  /// The digest of the content.
  ///
  /// - Throws: The errors of ``bytes()``.
  var contentDigest: ContentDigest {
    get throws(ArchiveError) { changes.isEmpty ? try base.digest : try ArchiveReader(bytes()).contentDigest }
  }

  /// The digest of the content, if it is known without assembling an archive from changes.
  var knownDigest: ContentDigest? {
    get throws(ArchiveError) { changes.isEmpty ? try base.digest : nil }
  }

  /// Returns the node that was captured last at a path; nil if there is none.
  ///
  /// - Throws: An error of reading it.
  func node(at path: RestorationPath) throws(ArchiveError) -> NodeReader? {
    for captured in changes.reversed() {
      if captured.encoded.contains(path) { return try captured.archive.opened().node(at: path) }
      if captured.removes(path) { return nil }
    }
    return try path.isEmpty ? base.opened().application() : base.opened().node(at: path)
  }

  // MARK: Links

  /// Whether the snapshot includes the changes since another one.
  func follows(_ other: Snapshot) -> Bool {
    series === other.series && (first...number).contains(other.number)
  }

  /// Whether nodes may have come or gone since an earlier snapshot, as when one moves to another archive.
  ///
  /// - Complexity: O(n) in all nodes, if the snapshots share no records.
  func mayMoveNodes(since earlier: Snapshot) -> Bool {
    if follows(earlier) { return changes[(earlier.number - first)...].contains { !$0.orders.isEmpty } }
    return (try? earlier.paths() == paths()) != true
  }

  /// Returns the paths of all nodes.
  ///
  /// - Throws: The errors of reading them.
  private func paths() throws(ArchiveError) -> Set<RestorationPath> {
    var paths: Set<RestorationPath> = []
    var pending = try ArchiveReader(bytes()).application().children()
    while let node = pending.popLast() {
      if paths.insert(node.path).inserted { pending += try node.children() }
    }
    return paths
  }

  /// Makes the link from an earlier snapshot to this one.
  ///
  /// - Parameters:
  ///   - earlier: The snapshot that the file before the link stands for.
  ///   - digest: The digest of that file.
  ///   - isForced: Whether a link is made even if the content is the same.
  /// - Returns: The link; nil if the content is the same.
  /// - Throws: The errors of encoding an archive.
  /// - Complexity: O(n) in the changes, or in all bytes if the snapshots share no records.
  func link(after earlier: Snapshot, _ digest: ContentDigest, isForced: Bool = false) throws(ArchiveError) -> [UInt8]? {
    let before, after: [UInt8]
    if follows(earlier) {
      var difference = SnapshotDifference(from: earlier, to: self)
      for captured in changes[(earlier.number - first)...] { try difference.add(captured) }
      (before, after) = try difference.archives()
    } else {
      (before, after) = (try earlier.bytes(), try bytes())
    }
    if !isForced, try ArchiveReader(before).contentDigest == ArchiveReader(after).contentDigest { return nil }
    return try ArchiveLink.make(from: before, to: after, after: digest)
  }

  /// Offers an archive with the content of this snapshot to later captures, which then need not keep the changes that
  /// led to it.
  func offerFolded(_ bytes: [UInt8]) {
    guard !changes.isEmpty, let archive = try? EncodedArchive(opening: bytes) else { return }
    series.folded.withLock { $0 = (archive, number) }
  }
}

/// The captures of an app that share records: one of everything, and those of changes after it.
final class CaptureSeries: Sendable {
  /// The archive with the content of a capture, and the number of that, until a later capture takes it.
  let folded = Lock<(archive: EncodedArchive, number: Int)?>(nil)
}

/// What one capture has found changed since the one before it.
final class CapturedChanges: Sendable {
  /// The encoded objects at their paths, and the application state; the nodes on the way to them have no contents.
  let archive: EncodedArchive
  /// The nodes whose contents the archive has; the empty path stands for the application state.
  let encoded: Set<RestorationPath>
  /// The nodes whose children have changed.
  let orders: [RestorationPath: ChildOrder]

  init(_ archive: EncodedArchive, encoded: Set<RestorationPath>, orders: [RestorationPath: ChildOrder]) {
    (self.archive, self.encoded, self.orders) = (archive, encoded, orders)
  }

  /// Whether the node at a path, or one above it, is gone with these changes.
  func removes(_ path: RestorationPath) -> Bool {
    var parent = RestorationPath.application
    for identifier in path.components {
      if let order = orders[parent], order.after?.contains(where: { $0.isSameText(as: identifier) }) != true { return true }
      parent = parent.appending(identifier)
    }
    return false
  }
}

/// The children of a node before and after a change, by their identifiers in saved order.
struct ChildOrder: Sendable {
  /// The children before; none for a node that is new.
  var before: [String]
  /// The children afterwards; nil if the node itself is gone.
  var after: [String]?
}

/// The difference between two snapshots that share records, as two small archives that differ in the same way.
///
/// They have the nodes whose contents or children have changed, and the nodes on the way to them without contents. The
/// link between them is therefore the link between the snapshots:
///
///     before   root | 1 (number 4) | 2             after   root | 2 | 1 (number 5)
struct SnapshotDifference {
  private struct Node {
    let identifier: String
    var before: ArchiveNode?
    var after: ArchiveNode?
    var order: ChildOrder?
    var children: [Int] = []
    var numbers: [TextKey: Int] = [:]

    func content(isLater: Bool) -> ArchiveNode? { isLater ? after : before }
  }

  private let earlier: Snapshot
  private let later: Snapshot
  /// The nodes, parents first; the first one stands for the application.
  private var nodes = [Node(identifier: "")]
  private var seen: Set<RestorationPath> = []

  init(from earlier: Snapshot, to later: Snapshot) {
    (self.earlier, self.later) = (earlier, later)
  }

  /// Adds the changes of a capture between the two snapshots; captures must be added in order.
  ///
  /// - Throws: The errors of reading a node.
  mutating func add(_ captured: CapturedChanges) throws(ArchiveError) {
    for path in captured.encoded where seen.insert(path).inserted {
      let number = number(at: path)
      nodes[number].before = try earlier.node(at: path)?.withoutChildren()
      nodes[number].after = try later.node(at: path)?.withoutChildren()
    }
    for (path, order) in captured.orders {
      let number = number(at: path)
      nodes[number].order = ChildOrder(before: nodes[number].order?.before ?? order.before, after: order.after)
    }
  }

  private mutating func number(at path: RestorationPath) -> Int {
    var number = 0
    for identifier in path.components {
      let key = TextKey(identifier)
      if let child = nodes[number].numbers[key] {
        number = child
        continue
      }
      let child = nodes.count
      nodes.append(Node(identifier: identifier))
      nodes[number].numbers[key] = child
      nodes[number].children.append(child)
      number = child
    }
    return number
  }

  /// Returns the archives before and after.
  ///
  /// - Throws: The errors of encoding an archive.
  func archives() throws(ArchiveError) -> (before: [UInt8], after: [UInt8]) {
    (try archive(isLater: false), try archive(isLater: true))
  }

  private func archive(isLater: Bool) throws(ArchiveError) -> [UInt8] {
    let header = try (isLater ? later : earlier).header
    var tree = ArchiveTree(header: header, applicationState: nodes[0].content(isLater: isLater)?.state ?? [:])
    tree.nodes = children(of: 0, isLater: isLater)
    return [UInt8](try tree.encoded())
  }

  /// Returns the children of a node on one side: all of them where they have changed, else those on the way to changes.
  ///
  /// Recursion is bounded by the depth of a path.
  private func children(of number: Int, isLater: Bool) -> [ArchiveNode] {
    guard let order = nodes[number].order else { return nodes[number].children.map { node($0, isLater: isLater) } }
    return (isLater ? order.after ?? [] : order.before).map { identifier in
      nodes[number].numbers[TextKey(identifier)].map { node($0, isLater: isLater) } ?? ArchiveNode(identifier)
    }
  }

  private func node(_ number: Int, isLater: Bool) -> ArchiveNode {
    var node = nodes[number].content(isLater: isLater) ?? ArchiveNode(nodes[number].identifier)
    node.identifier = nodes[number].identifier
    node.children = children(of: number, isLater: isLater)
    return node
  }
}

extension NodeReader {
  /// Returns the node without its children.
  fileprivate func withoutChildren() throws(ArchiveError) -> ArchiveNode {
    let contents = try everything()
    return ArchiveNode(
      identifier ?? "", type: type, schemaVersion: schemaVersion, origin: origin, provider: contents.provider,
      attributes: contents.attributes, state: contents.state)
  }
}
