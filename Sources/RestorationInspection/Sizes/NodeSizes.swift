import ArchiveFormat
import RestorationArchive

/// The bytes of each node by its record: the record, the identifier, and the state record.
///
/// Takes sixteen bytes of memory for each node.
struct NodeSizes: Sendable {
  /// The bytes of each node, by record; 0 for one that cannot be read.
  private(set) var own: [Int]
  /// The bytes of each node and of everything below it.
  private(set) var withAllBelow: [Int]
  /// The number of readable records.
  private(set) var readableCount = 0
  /// The bytes of identifiers that several nodes share, and their number.
  private(set) var sharedIdentifiers = StoredSizes.Amount()
  /// The bytes of the sections of nodes that belong to no readable node.
  private(set) var unattributed = 0
  /// The bytes of the identifiers that belong to one node.
  private(set) var identifierByteCount = 0

  /// Measures the nodes, and counts the contents of their state records.
  init(_ records: ArchiveRecords, _ contents: inout StoredSizes) {
    own = [Int](repeating: 0, count: records.presentRecordCount)
    withAllBelow = []
    var parents = [UInt32](repeating: 0, count: own.count)
    var identifiers: [(range: Range<Int>, index: Int)] = []
    var stateByteCount = 0
    for index in own.indices {
      guard let node = try? records.node(at: index) else { continue }
      readableCount += 1
      parents[index] = node.record.parent
      own[index] = NodeRecord.byteCount
      if index > 0, let range = try? node.identifierInStrings { identifiers.append((range, index)) }
      let length = Self.count(node, records, &contents)
      own[index] += length
      stateByteCount += length
    }
    let sections = records.metadata.nodes.count + records.metadata.states.count
    unattributed = sections - readableCount * NodeRecord.byteCount - stateByteCount
    attribute(identifiers, of: records.metadata.strings.count)
    withAllBelow = own
    // A parent's index is less than its children's.
    for index in own.indices.dropFirst().reversed() where Int(parents[index]) < index {
      withAllBelow[Int(parents[index])] += withAllBelow[index]
    }
  }

  /// Counts the state record of a node and returns its length; 0 for bytes that other nodes have claimed.
  private static func count(_ node: ArchiveRecords.StoredNode, _ records: ArchiveRecords, _ contents: inout StoredSizes) -> Int {
    let length = Int(node.record.stateLength)
    guard length > 0 else { return 0 }
    do throws(FormatError) {
      contents.count(try records.state(of: node), flags: node.record.flags, of: node.index)
    } catch {
      // Two nodes of an invalid archive may claim the same bytes.
      if error.code == .stateOrder { return 0 }
      contents.count(unreadable: length)
    }
    return length
  }

  /// Attributes the identifiers in `STRS` to the nodes that use them alone.
  private mutating func attribute(_ identifiers: [(range: Range<Int>, index: Int)], of byteCount: Int) {
    let sorted = identifiers.sorted { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    var (place, end) = (0, 0)
    while place < sorted.count {
      let range = sorted[place].range
      var next = place + 1
      while next < sorted.count, sorted[next].range == range { next += 1 }
      // Identifiers of an invalid archive may overlap, or lie outside the section.
      if range.lowerBound >= end, range.upperBound <= byteCount {
        if next == place + 1 {
          own[sorted[place].index] += range.count
          identifierByteCount += range.count
        } else {
          sharedIdentifiers.add(range.count)
        }
        unattributed += range.lowerBound - end
        end = range.upperBound
      }
      place = next
    }
    unattributed += byteCount - end
  }
}
