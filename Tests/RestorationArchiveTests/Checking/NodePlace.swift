import SlowReader
import RestorationArchive

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

  /// The offsets of the sections.
  struct Sections {
    let body: Range<Int>
    let nodes: Int
    let strings: Int
    let states: Int

    init(_ bytes: [UInt8]) {
      let metadata = Self.word(bytes, 24)
      let tree = Self.word(bytes, 28)
      body = (64 + metadata + tree)..<(bytes.count - 64 - metadata - tree)
      // Only the directory has these letters followed by their lengths.
      let directory = Array("NODE".utf8)
      var place = 64
      while Array(bytes[place..<(place + 4)]) != directory { place += 1 }
      var lengths: [Int] = []
      for _ in 0..<3 {
        place += 4
        var length = 0
        var shift = 0
        while bytes[place] >= 0x80 {
          length |= Int(bytes[place] & 0x7F) << shift
          shift += 7
          place += 1
        }
        lengths.append(length | Int(bytes[place]) << shift)
        place += 1
      }
      nodes = body.lowerBound
      strings = nodes + lengths[0]
      states = strings + lengths[1]
    }

    static func word(_ bytes: [UInt8], _ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
  }

  static func all(in bytes: [UInt8], content: SlowArchive, tree: ArchiveTree) throws -> [NodePlace] {
    let sections = Sections(bytes)
    var result: [NodePlace] = []
    /// A node's record, the node, its path, and the ranges that lead to it.
    var rest: [(index: Int, node: ArchiveNode?, path: RestorationPath, needed: [Range<Int>])] = [(0, nil, .application, [])]
    while let (index, node, path, above) = rest.popLast() {
      let start = sections.nodes + index * 48
      let record = start..<(start + 48)
      var needed = above + [record]
      if bytes[start + 29] == 0xFF {
        let length = Int(bytes[start + 42]) | Int(bytes[start + 43]) << 8
        let offset = sections.strings + Sections.word(bytes, start + 44)
        needed.append(offset..<(offset + length))
      }
      if let node {
        let offset = sections.states + Sections.word(bytes, start + 16)
        let state = offset..<(offset + Sections.word(bytes, start + 20))
        result.append(
          NodePlace(
            path: path, state: node.state, bodyRange: sections.body, record: record, needed: needed + (state.isEmpty ? [] : [state])))
      }
      let first = Sections.word(bytes, start + 8)
      for child in 0..<Sections.word(bytes, start + 12) {
        let order = Sections.word(bytes, sections.nodes + (first + child) * 48 + 4)
        let childNode = (node?.children ?? tree.nodes)[order]
        rest.append((first + child, childNode, path.appending(childNode.identifier), needed))
      }
    }
    return result
  }
}
