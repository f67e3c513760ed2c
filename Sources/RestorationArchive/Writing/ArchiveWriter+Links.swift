#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import ArchiveFormat

/// The places that a link gives to nodes, until all its nodes are known.
struct LinkPlan {
  /// A node and the sibling that it directly follows, by their identifiers.
  struct Place {
    let parent: Int
    let identifier: String
    let sibling: String?
  }

  var places: [Place] = []
}

// Links: archives that hold what changed since another file (Spec §15).
extension ArchiveWriter {
  /// Prepares the writer for a link, like ``reset(header:expectedNodeCount:userInfo:)`` for an archive.
  ///
  /// Nodes added with state, or with ``addNode(_:under:type:schemaVersion:origin:)``, are new, or replace the parts of
  /// nodes that exist except their children. The application state is unchanged unless
  /// ``encodeApplicationState(_:)`` is called. The header is that of the archive that the link makes.
  ///
  ///     try writer.resetForLink(header: header)
  ///     let root = try writer.addUnchanged("root")
  ///     try writer.addNode("list", under: root) { try $0.encode(8, forKey: "row") }
  ///     try writer.remove("search", under: root)
  ///     let link = try writer.finishLink().data(after: digestOfTheFileBefore)
  ///
  /// - Throws: `not-storable` while a node is being encoded; nothing changes.
  package func resetForLink(header: ArchiveHeader = ArchiveHeader(), userInfo: [CodingUserInfoKey: Any] = [:]) throws(ArchiveError) {
    try reset(header: header, expectedNodeCount: 0, userInfo: userInfo)
    self.header.baseContentDigest = EncodedLink.placeholder
    beginLink()
  }

  /// Turns the archive, to which nothing has been added, into a link; the header names the file before it.
  func beginLink() {
    link = LinkPlan()
    assembler.beginLink()
  }

  /// Makes the application state of a link empty.
  package func encodeEmptyApplicationState() {
    assembler.openState(of: 0)
    assembler.beginEntries()
    assembler.endState()
  }

  /// Adds a node to a link that is as before, as the way to others.
  ///
  /// - Throws: The errors of ``addNode(_:under:type:schemaVersion:origin:)``.
  @discardableResult
  package func addUnchanged(_ identifier: String, under parent: Node? = nil) throws(ArchiveError) -> Node {
    Node(number: try add(identifier, under: number(of: parent), change: .unchanged), archive: archive)
  }

  /// Removes a node, with everything below it.
  ///
  /// - Throws: The errors of ``addNode(_:under:type:schemaVersion:origin:)``.
  @discardableResult
  package func remove(_ identifier: String, under parent: Node? = nil) throws(ArchiveError) -> Node {
    Node(number: try add(identifier, under: number(of: parent), change: .removed), archive: archive)
  }

  /// Gives a node of a link its place among its siblings: directly after one of them, or before all others if `sibling`
  /// is nil.
  ///
  /// A new node needs a place, and so does each one that moves among its siblings. Nodes that the link does not have yet
  /// when it is finished are added as unchanged. Each node has one place, and each sibling one node after it.
  ///
  /// - Throws: `no-parent` for a parent of another archive, and outside of a link.
  package func place(_ identifier: String, under parent: Node? = nil, after sibling: String?) throws(ArchiveError) {
    let number = number(of: parent)
    guard link != nil, !isFinished, !isEncoding, number < assembler.count else { throw Self.noLink }
    link?.places.append(LinkPlan.Place(parent: number, identifier: identifier, sibling: sibling))
  }

  private func add(_ identifier: String, under parent: Int, change: LinkTable.Change) throws(ArchiveError) -> Int {
    guard link != nil, !isEncoding, parent < assembler.count else { throw Self.noLink }
    do throws(FormatError) {
      return try assembler.addNode(parent: parent, identifier: identifier, change: change)
    } catch {
      throw ArchiveError(error, path: path(of: parent))
    }
  }

  private static var noLink: ArchiveError {
    ArchiveError(
      FormatError(.noParent, at: nil, "node of a link", expected: .text("a parent that was added to this link, before it was finished")))
  }

  /// Finishes a link; its bytes are assembled when the file before it is known.
  ///
  /// Call ``resetForLink(header:userInfo:)`` or ``reset(header:expectedNodeCount:userInfo:)`` before using the writer
  /// again.
  ///
  /// - Throws: The errors of ``finishEncoding()``. Faults of places are errors of ``EncodedLink/data(after:)``.
  /// - Complexity: O(n log f) in the nodes of the link, where f is the largest number of siblings.
  package func finishLink() throws(ArchiveError) -> EncodedLink {
    guard link != nil else { throw Self.noLink }
    return EncodedLink(archive: try finishEncoding())
  }

  /// Hands the places of a link to the assembler, after all nodes have been added.
  func placeNodes() throws(ArchiveError) {
    guard let places = link?.places, !places.isEmpty else { return }
    link?.places = []
    var numbers = assembler.numbersOfNodes()
    func number(of identifier: String, under parent: Int) throws(ArchiveError) -> Int {
      if let known = numbers.number(of: identifier, under: parent) { return known }
      let added = try add(identifier, under: parent, change: .unchanged)
      numbers.add(added, identifier: identifier, under: parent)
      return added
    }
    for place in places {
      let node = try number(of: place.identifier, under: place.parent)
      let sibling = try place.sibling.map { (sibling) throws(ArchiveError) in try number(of: sibling, under: place.parent) }
      assembler.place(node, after: sibling)
    }
  }
}

/// A fully encoded link, whose bytes are assembled when the file before it is known; on any thread, and as often as that
/// changes.
package struct EncodedLink: Sendable {
  /// The digest in the header of a link until the file before it is known.
  static let placeholder = ContentDigest(rawValue: 0)

  let archive: EncodedArchive

  /// Returns the bytes of the link, as the one after the file with this digest.
  ///
  /// - Throws: `link-place` and `link-cycle` for places that contradict each other, `link-record` for a removed node with
  ///   nodes below it, all with the path; `file-too-large`.
  package func data(after digest: ContentDigest) throws(ArchiveError) -> Data {
    Data(try ArchiveLink.rebased([UInt8](archive.data()), after: digest))
  }
}
