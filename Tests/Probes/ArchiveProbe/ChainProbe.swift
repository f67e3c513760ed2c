import Foundation
import PropertyKit
import RestorationArchive

/// Measures the length of links, and the time that a chain of the greatest length takes against its base.
struct ChainProbe {
  /// Prints the figures for an archive of about `nodeCount` nodes.
  func measure(nodeCount: Int) throws {
    let (data, path) = try LargeArchive.deep(nodeCount: nodeCount, depth: 8, fanOut: 6, seed: 1)
    let base = [UInt8](data)
    // The nodes on the way without contents, and the last one with other contents in each link.
    func part(_ state: ArchiveDictionary) throws -> [UInt8] {
      let node = path.components.dropLast().reversed().reduce(ArchiveNode(path.identifier ?? "", state: state)) { child, identifier in
        ArchiveNode(identifier, children: [child])
      }
      return [UInt8](try ArchiveTree(nodes: [node]).encoded())
    }
    let before = try part([:])
    var links: [[UInt8]] = []
    var digest = try ArchiveReader(base).contentDigest
    for number in 0..<ArchiveLink.maximumCount {
      let after = try part(["row": .integer(number), "title": .string("a title of some length, \(number)")])
      links.append(try ArchiveLink.make(from: before, to: after, after: digest))
      digest = try ArchiveReader(link: links[number]).contentDigest
    }
    print("nodes \(try ArchiveReader(base).nodeCount), base \(base.count) bytes, a link \(links[0].count) bytes")
    let whole = try fastest { _ = try read(base) }
    let check = fastest { precondition(ArchiveCheck(base).isValid) }
    var resolved = base
    for count in [1, links.count] {
      let part = Array(links.prefix(count))
      let chain = fastest {
        let chain = ArchiveChain(base: base, links: part)
        precondition(chain.appliedCount == count)
        resolved = chain.bytes
      }
      print("\(count) links: resolving \(chain), \(Double(Int(chain / whole * 100)) / 100) of reading all states of the base")
    }
    let after = try fastest { _ = try read(resolved) }
    print("checking the base \(check), reading all states of the base \(whole), of the result \(after)")
  }

  /// Reads the state of every node.
  private func read(_ bytes: [UInt8]) throws -> Int {
    let tree = try ArchiveTree(decoding: ArchiveReader(bytes))
    return tree.nodeCount
  }

  /// Returns the shortest time of three calls, in seconds.
  private func fastest(_ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    for _ in 0..<3 {
      let start = ContinuousClock.now
      try body()
      let time = (ContinuousClock.now - start).components
      best = min(best, Double(time.seconds) + Double(time.attoseconds) / 1e18)
    }
    return best
  }
}
