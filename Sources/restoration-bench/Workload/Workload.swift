import Foundation

/// A seeded tree of the shape that state has: fan-out 2 to 6, about 12 values a node, some blobs.
struct Workload {
  let size: WorkloadSize
  let roots: [BenchNode]
  /// What the tree was made from; it stays, so that its memory is not there to be used again by what is measured.
  private let draft: [DraftNode]
  /// The identifiers down the last child of every level, and the key of a string at the end.
  let probe: (path: [String], key: String)
  /// What is in it.
  let counts: WorkloadCounts

  /// Makes a workload; the same for the same size.
  init(_ size: WorkloadSize) {
    var generator = WorkloadGenerator(size: size)
    self.size = size
    draft = generator.makeTree()
    roots = draft.map(BenchNode.init(inPreorder:))
    var path: [String] = []
    var node = roots.last
    var last = roots[0]
    while let current = node {
      path.append(current.identifier)
      last = current
      node = current.children.last
    }
    let key = last.entries.first { if case .string = $0.value { true } else { false } }?.key ?? ""
    probe = (path, key)
    counts = WorkloadCounts(roots)
  }
}
