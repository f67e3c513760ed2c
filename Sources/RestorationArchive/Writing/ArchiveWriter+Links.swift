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
  /// Turns the archive, to which nothing has been added, into a link; the header names the file before it.
  func beginLink() {
    link = LinkPlan()
    assembler.beginLink()
  }

  /// Makes the application state of a link empty.
  func encodeEmptyApplicationState() {
    assembler.openState(of: 0)
    assembler.beginEntries()
    assembler.endState()
  }

  /// Adds a node to a link that is as before, as the way to others.
  ///
  /// - Throws: The errors of ``addNode(_:under:type:schemaVersion:origin:)``.
  func addUnchanged(_ identifier: String, under parent: Node? = nil) throws(ArchiveError) -> Node {
    Node(number: try add(identifier, under: number(of: parent), change: .unchanged), archive: archive)
  }

  /// Removes a node, with everything below it.
  ///
  /// - Throws: The errors of ``addNode(_:under:type:schemaVersion:origin:)``.
  func remove(_ identifier: String, under parent: Node? = nil) throws(ArchiveError) -> Node {
    Node(number: try add(identifier, under: number(of: parent), change: .removed), archive: archive)
  }

  /// Gives a node of a link its place among its siblings: directly after one of them, or before all others if `sibling`
  /// is nil.
  ///
  /// A new node needs a place, and so does each one that moves among its siblings. Nodes that the link does not have yet
  /// when it is finished are added as unchanged. Each node has one place, and each sibling one node after it.
  ///
  /// - Throws: `no-parent` for a parent of another archive, and outside of a link.
  func place(_ identifier: String, under parent: Node? = nil, after sibling: String?) throws(ArchiveError) {
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
