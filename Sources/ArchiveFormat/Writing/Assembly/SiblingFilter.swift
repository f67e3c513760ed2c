import Storage

/// A fast test that no two siblings have the same identifier, which is nearly always true.
///
/// Compares hashes of the parent and of both ends of the identifier. If two hashes are equal, or too many collide in
/// the table, the test is inconclusive.
enum SiblingFilter {
  /// The number of slots to probe for a node.
  private static let maximumProbes = 8
  /// The maximum number of nodes: for more, the table would exceed the caches, and take as long as a sort.
  private static let maximumNodeCount = 1 << 16

  /// Whether all siblings among the added nodes certainly have different identifiers.
  ///
  /// - Complexity: O(n) in the nodes.
  static func areDistinct(_ assembler: ArchiveAssembler) -> Bool {
    let count = assembler.count
    guard count <= maximumNodeCount else { return false }
    var slotBits = 4
    while 1 << slotBits < 2 * count { slotBits += 1 }
    // A slot of 0 is empty: no hash is 0.
    var slots = ScratchArray<UInt64>(repeating: 0, count: 1 << slotBits)
    for number in 1..<max(count, 1) {
      let node = assembler.node(number)
      let hash = assembler.withIdentifiers { fingerprint(of: $0.extracting(node.identifier), below: node.parent) }
      var place = Int(truncatingIfNeeded: hash &>> UInt64(64 - slotBits))
      var rest = maximumProbes
      while slots[place] != 0 {
        rest -= 1
        if slots[place] == hash || rest == 0 { return false }
        place = (place + 1) & (1 << slotBits - 1)
      }
      slots[place] = hash
    }
    return true
  }

  @inline(__always)
  private static func fingerprint(of identifier: Span<UInt8>, below parent: UInt32) -> UInt64 {
    let suffix = identifier.count > 8 ? identifier.uint64(at: identifier.count &- 8) : UInt64(identifier.count)
    let start = (identifier.sortingPrefix ^ UInt64(parent) &* 0x9E37_79B9_7F4A_7C15) &* 0xBF58_476D_1CE4_E5B9
    return ((start ^ start &>> 32 ^ suffix) &* 0x94D0_49BB_1331_11EB) | 1
  }
}
