import Storage

/// Writes the archive that a chain stands for (Spec §15.3).
///
/// Every state record is copied from one file; no value is decoded.
package struct ChainWriter: ~Copyable {
  private let files: [ChainFile]
  private let overlay: ChainOverlay
  private let assembler: ArchiveAssembler
  private var copiers: [NodeCopier]

  /// Applies links to a base: returns the bytes of the archive or, if the links only replace contents, a patch for the
  /// bytes of the base.
  ///
  /// - Throws: `missing-node`, with the number of the link and of the record in it; `table-size`, `file-too-large`.
  /// - Complexity: O(n log f) in the nodes of all files, where f is the largest number of siblings, and O(n) in the bytes.
  package static func write(_ base: ChainFile, _ links: some Collection<ChainFile>) throws(ChainError) -> ChainResult {
    var overlay = ChainOverlay(base)
    for (index, link) in links.enumerated() {
      guard let table = link.link else { continue }
      do throws(FormatError) {
        try overlay.apply(link, table, number: index + 1)
      } catch {
        throw ChainError(link: index + 1, error: error)
      }
    }
    let files = [base] + links
    if let patch = ContentsPatch(files, overlay) { return .patch(patch) }
    var writer = ChainWriter(files, overlay)
    do throws(FormatError) {
      return .whole(try writer.write())
    } catch {
      throw ChainError(link: nil, error: error)
    }
  }

  private init(_ files: [ChainFile], _ overlay: consuming ChainOverlay) {
    self.files = files
    self.overlay = overlay
    assembler = ArchiveAssembler(nodeCount: files[0].records.count)
    let isVerbatim = assembler.states.adoptKeys(of: files[0].metadata.keys)
    copiers = []
    for file in files { copiers.append(NodeCopier(file, to: assembler, isVerbatim: isVerbatim && file === files[0])) }
  }

  /// A node that is to be written.
  private struct Step: BitwiseCopyable {
    /// A record of the base, or minus one minus the index of a node of the overlay.
    let place: Int
    /// The number of the parent in the assembler.
    let parent: Int
  }

  private mutating func write() throws(FormatError) -> OutputBuffer {
    // The last step is the next one, so children are added in reverse order.
    var stack = ScratchArray<Step>(capacity: 64)
    stack.append(Step(place: -1, parent: -1))
    var children = ScratchArray<Int>(capacity: 64)
    while let step = stack.last {
      stack.truncate(to: stack.count - 1)
      var (file, record) = (0, step.place)
      if step.place < 0 {
        let node = overlay.nodes[-1 - step.place]
        (file, record) = (Int(node.file), Int(node.record))
      }
      let number = try add(record, of: file, below: step.parent)
      children.truncate(to: 0)
      addChildren(of: step.place, to: &children)
      var index = children.count
      while index > 0 {
        index -= 1
        stack.append(Step(place: children[index], parent: number))
      }
    }
    let last = files[files.count - 1]
    return try assembler.finish(
      try ArchiveSurroundings(header: last.header, sections: last.sections, minorVersion: last.prefix.minorVersion))
  }

  private func addChildren(of place: Int, to children: inout ScratchArray<Int>) {
    var record = place
    if place < 0 {
      let index = -1 - place
      let hasList = overlay.visitList(of: index) { item in
        switch item {
        case .head: break
        case .base(let record): children.append(overlay.node(ofBase: Int(record)).map { -1 - $0 } ?? Int(record))
        case .added(let node): children.append(-1 - Int(node))
        }
      }
      guard !hasList, let base = overlay.nodes[index].base else { return }
      record = Int(base)
    }
    let range = files[0].children(of: record)
    let first = children.count
    children.append(repeating: 0, count: range.count)
    for child in range {
      // Below a node without a record in any link, no node has one.
      let node = place < 0 ? overlay.node(ofBase: child) : nil
      children[first + files[0].records.savedOrder(at: child)] = node.map { -1 - $0 } ?? child
    }
  }

  /// Adds a node with the parts of a record of a file; without a parent it is the application, which exists already.
  private mutating func add(_ index: Int, of file: Int, below parent: Int) throws(FormatError) -> Int {
    let number = parent < 0 ? 0 : try copiers[file].addNode(index, below: parent)
    if files[file].record(index).stateLength > 0 { copiers[file].copyState(of: index, to: number) }
    return number
  }
}

/// The result of applying links to a base.
package enum ChainResult: ~Copyable {
  /// The bytes of the archive.
  case whole(OutputBuffer)
  /// Changes to the bytes of the base.
  case patch(ContentsPatch)
}

/// A reason why a chain cannot be resolved.
package struct ChainError: Error {
  /// The number of the link at fault, from 1; nil if the archive that all of them stand for cannot be written.
  package let link: Int?
  /// The fault; its node is a record of that link.
  package let error: FormatError
}
