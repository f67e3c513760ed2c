/// Finds the objects of a keyed archive that a tree of values cannot contain in place: those on a circle, large ones
/// that are referred to several times, and those that are nested too deeply (rule R-K3-2).
///
/// They are moved out of line. What remains in place is a tree whose size is in proportion to the references.
struct GraphSurvey {
  /// The largest number of values of an object that is copied for each reference: itself, and all values and keys in it.
  static let maximumCopied = 16
  /// The largest height of what is written in place.
  static let maximumHeight = 32

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

  /// Whether an object is a collection or a record that is copied to each of several places.
  ///
  /// Empty collections do not count: Foundation shares one empty instance of each class. Equal strings, numbers and other
  /// values without contents are one object in most archives.
  func isCopied(_ number: Int) -> Bool {
    guard case .done = states[number], referenceCounts[number] > 1, !isOutOfLine[number] else { return false }
    let object = archive.objects[number]
    return switch object.content {
    case .array, .set, .orderedSet, .dictionary: !object.values.isEmpty
    case .record: true
    case .bare, .null, .string, .data, .date, .url, .uuid, .classDescription: false
    }
  }

  /// Surveys all objects that the named values reach.
  ///
  /// - Complexity: O(n) in the size of the archive.
  init(_ archive: KeyedArchive) {
    self.archive = archive
    isOutOfLine = [Bool](repeating: false, count: archive.objects.count)
    referenceCounts = isOutOfLine.map { _ in 0 }
    states = isOutOfLine.map { _ in .unvisited }
    var roots: [Int] = []
    for field in archive.top { Self.visitReferences(of: field.value) { roots.append($0) } }
    countReferences(from: roots)
    for root in roots { survey(root) }
  }

  /// Counts the references to each object in the objects that the named values reach.
  private mutating func countReferences(from roots: [Int]) {
    var rest = roots
    for root in roots { referenceCounts[root] += 1 }
    var isVisited = isOutOfLine
    while let number = rest.popLast() {
      guard !isVisited[number] else { continue }
      isVisited[number] = true
      for value in archive.objects[number].values {
        Self.visitReferences(of: value) {
          referenceCounts[$0] += 1
          rest.append($0)
        }
      }
    }
  }

  /// Calls `body` with the number of each object that a value refers to; returns the number of other values in it.
  ///
  /// The depth of the property list limits the recursion.
  @discardableResult
  static func visitReferences(of value: KeyedValue, _ body: (Int) -> Void) -> Int {
    switch value {
    case .object(let number):
      body(number)
      return 0
    case .array(let values): return values.reduce(1) { $0 + visitReferences(of: $1, body) }
    case .dictionary(let fields): return fields.reduce(1) { $0 + visitReferences(of: $1.value, body) }
    default: return 1
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
      case .done(let size, let height) where !isOutOfLine[child]:
        visit.size = min(visit.size + size, 1 << 40)
        visit.height = max(visit.height, height + 1)
      case .done: visit.size += 1
      case .open:
        isOutOfLine[child] = true
        visit.size += 1
      }
      visit.next += 1
      visits.append(visit)
    }
  }

  private mutating func visit(_ number: Int) -> Visit {
    states[number] = .open
    var references: [Int] = []
    let object = archive.objects[number]
    // An object that only wraps a value costs nothing itself.
    var size = if case .bare = object.content { 0 } else { 1 }
    for value in object.values { size += Self.visitReferences(of: value) { references.append($0) } }
    return Visit(number: number, references: references, size: size, height: 0)
  }

  private mutating func finish(_ visit: Visit) {
    states[visit.number] = .done(size: visit.size, height: visit.height)
    let isLarge = referenceCounts[visit.number] > 1 && visit.size > Self.maximumCopied
    if isLarge || visit.height >= Self.maximumHeight { isOutOfLine[visit.number] = true }
  }
}
