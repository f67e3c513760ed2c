import ArchiveFormat
import RestorationArchive

/// Finds references that lead to a node in the old archive and to none in the new one.
struct ReferenceSurvey: Sendable {
  private let matching: NodeMatching

  init(_ matching: NodeMatching) {
    self.matching = matching
  }

  /// Returns the broken references that a node of the new archive holds.
  func brokenReferences(of index: Int) -> [(key: String, target: RestorationPath)] {
    guard let contents = try? matching.new.contents(of: index) else { return [] }
    var broken: [(key: String, target: RestorationPath)] = []
    for entries in [contents.attributes, contents.state] {
      for entry in entries {
        Self.visitReferences(in: entry.value) { target in
          if isBroken(target) { broken.append((entry.key, target)) }
        }
      }
    }
    return broken
  }

  /// Whether a node may hold references, by its bytes alone: most do not.
  func mayHoldReferences(_ index: Int) -> Bool {
    guard let node = try? matching.new.archive.records.node(at: index), node.record.stateLength > 0,
      let record = try? matching.new.archive.records.state(of: node)
    else { return false }
    let bytes = record.storage.span
    for place in record.range where bytes[place] == ValueTag.reference { return true }
    return false
  }

  private func isBroken(_ target: RestorationPath) -> Bool {
    // A node that damage may hide is not missing.
    guard matching.old.index(of: target) != nil else { return false }
    do throws(ArchiveError) {
      return try matching.new.archive.node(at: target) == nil
    } catch {
      return false
    }
  }

  /// Calls `body` with each reference in a value; the format's limit of 128 nesting levels bounds the recursion.
  private static func visitReferences(in value: ArchiveValue, _ body: (RestorationPath) -> Void) {
    switch value {
    case .reference(let path): body(path)
    case .array(let elements): for element in elements { visitReferences(in: element, body) }
    case .dictionary(let entries): for entry in entries { visitReferences(in: entry.value, body) }
    default: break
    }
  }
}
