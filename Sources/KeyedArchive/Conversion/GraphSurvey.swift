/// Finds the objects of a keyed archive that a tree of values cannot contain in place: those on a circle, large ones
/// that are referred to several times, and those that are nested too deeply (rule R-K3-2).
///
/// They are moved out of line. What remains in place is a tree whose size is in proportion to the references.
struct GraphSurvey {
  /// The largest number of values of an object that is copied for each reference.
  static let mostCopied = 16
  /// The largest height of what is written in place.
  static let mostHeight = 32

  /// The objects that are written out of line.
  private(set) var isOutOfLine: [Bool]
  private let archive: KeyedArchive
  private var referenceCounts: [Int]
  private var states: [State]

  private enum State {
    case unvisited
    case open
    case done(size: Int, height: Int)
  }

  private struct Visit {
    let number: Int
    let references: [Int]
    var next = 0
    var size: Int
    var height: Int
  }

  /// Surveys all objects that the named values reach.
  ///
  /// - Complexity: O(n) in the size of the archive.
  init(_ archive: KeyedArchive) {
    self.archive = archive
    isOutOfLine = [Bool](repeating: false, count: archive.objects.count)
    referenceCounts = isOutOfLine.map { _ in 0 }
    states = isOutOfLine.map { _ in .unvisited }
    for object in archive.objects {
      for value in object.values { Self.visitReferences(of: value) { referenceCounts[$0] += 1 } }
    }
    for field in archive.top { Self.visitReferences(of: field.value) { referenceCounts[$0] += 1 } }
    for field in archive.top {
      var roots: [Int] = []
      Self.visitReferences(of: field.value) { roots.append($0) }
      for root in roots { survey(root) }
    }
  }

  /// Calls `body` with the number of each object that a value refers to.
  ///
  /// The depth of the property list limits the recursion.
  static func visitReferences(of value: KeyedValue, _ body: (Int) -> Void) {
    switch value {
    case .object(let number): body(number)
    case .array(let values): for value in values { visitReferences(of: value, body) }
    case .dictionary(let fields): for field in fields { visitReferences(of: field.value, body) }
    default: break
    }
  }

  private mutating func survey(_ root: Int) {
    guard case .unvisited = states[root] else { return }
    var visits = [visit(root)]
    while var visit = visits.popLast() {
      guard visit.next < visit.references.count else {
        finish(visit)
        continue
      }
      let child = visit.references[visit.next]
      switch states[child] {
      case .unvisited:
        visits.append(visit)
        visits.append(self.visit(child))
        continue
      case .open: isOutOfLine[child] = true
      case .done(let size, let height) where !isOutOfLine[child]:
        visit.size = min(visit.size + size, 1 << 40)
        visit.height = max(visit.height, height + 1)
      case .done: break
      }
      visit.next += 1
      visits.append(visit)
    }
  }

  private mutating func visit(_ number: Int) -> Visit {
    states[number] = .open
    var references: [Int] = []
    var size = 1
    for value in archive.objects[number].values {
      size += 1
      Self.visitReferences(of: value) {
        references.append($0)
        size += 1
      }
    }
    return Visit(number: number, references: references, size: size, height: 0)
  }

  private mutating func finish(_ visit: Visit) {
    states[visit.number] = .done(size: visit.size, height: visit.height)
    let isLarge = referenceCounts[visit.number] > 1 && visit.size > Self.mostCopied
    if isLarge || visit.height >= Self.mostHeight { isOutOfLine[visit.number] = true }
  }
}
