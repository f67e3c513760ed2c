import RestorationArchive
import SalvageKit
import SlowReader

/// The byte ranges of everything that a node needs, found by a naive parser.
struct NodePlace: Sendable {
  let path: RestorationPath
  let state: ArchiveDictionary
  let bodyRange: Range<Int>
  /// The node's record.
  let record: Range<Int>
  /// All ranges that must be intact to read the state by path: records and identifiers from the root down, and the
  /// state.
  let needed: [Range<Int>]

  static func all(in bytes: [UInt8], content: SlowArchive, tree: ArchiveTree) throws -> [NodePlace] {
    let sections = ArchiveSections(bytes)
    var result: [NodePlace] = []
    /// A node's record, the node, its path, and the ranges that lead to it.
    var rest: [(index: Int, node: ArchiveNode?, path: RestorationPath, needed: [Range<Int>])] = [(0, nil, .application, [])]
    while let (index, node, path, above) = rest.popLast() {
      let start = sections.nodes + index * 48
      let record = start..<(start + 48)
      var needed = above + [record]
      if bytes[start + 29] == 0xFF {
        let length = Int(bytes[start + 42]) | Int(bytes[start + 43]) << 8
        let offset = sections.strings + ArchiveSections.word(bytes, start + 44)
        needed.append(offset..<(offset + length))
      }
      if let node {
        let offset = sections.states + ArchiveSections.word(bytes, start + 16)
        let state = offset..<(offset + ArchiveSections.word(bytes, start + 20))
        result.append(
          NodePlace(
            path: path, state: node.state, bodyRange: sections.body, record: record, needed: needed + (state.isEmpty ? [] : [state])))
      }
      let first = ArchiveSections.word(bytes, start + 8)
      for child in 0..<ArchiveSections.word(bytes, start + 12) {
        let order = ArchiveSections.word(bytes, sections.nodes + (first + child) * 48 + 4)
        let childNode = (node?.children ?? tree.nodes)[order]
        rest.append((first + child, childNode, path.appending(childNode.identifier), needed))
      }
    }
    return result
  }
}
