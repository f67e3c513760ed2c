/// Checks of a property list as a whole: keys are strings and occur once, no container contains itself, and the nesting
/// depth is within the limit.
struct PropertyListShape {
  private let list: PropertyList
  /// The objects that could not be read.
  ///
  /// Nothing that the top object reaches refers to them.
  private let unreadable: Set<Int>

  init(_ list: PropertyList, unreadable: [Int] = []) {
    self.list = list
    self.unreadable = Set(unreadable)
  }

  /// Throws the first fault.
  ///
  /// - Complexity: O(n) in the number of objects and references.
  func validate(_ context: inout ImportContext) throws(KeyedArchiveError) {
    try validateKeys(&context)
    try validateNesting(depth: context.depth)
  }

  // MARK: Keys

  private func validateKeys(_ context: inout ImportContext) throws(KeyedArchiveError) {
    // Each text is hashed once, whatever number of dictionaries uses it: equal texts get one number. A dictionary that
    // has seen a number already has a repeated key.
    var numbers: [[UInt8]: Int] = [:]
    var numberOfObject = [Int](repeating: -1, count: list.objects.count)
    var lastUser: [Int] = []
    for (container, object) in list.objects.enumerated() {
      guard case .dictionary(let entries) = object else { continue }
      for entry in entries where !unreadable.contains(entry.key) {
        if numberOfObject[entry.key] < 0 {
          guard let text = list.text(entry.key) else {
            let fault = KeyedArchiveError(.keyType, at: list.offset(of: container), "dictionary key", expected: "a string")
            try context.lose(fault, as: "the entries are kept as pairs")
            continue
          }
          try context.spend(text.utf8.count, at: list.offset(of: entry.key))
          let number = numbers[Array(text.utf8), default: lastUser.count]
          if number == lastUser.count {
            numbers[Array(text.utf8)] = number
            lastUser.append(-1)
          }
          numberOfObject[entry.key] = number
        }
        if lastUser[numberOfObject[entry.key]] == container {
          let fault = KeyedArchiveError(.repeatedKey, at: list.offset(of: container), "dictionary", expected: "each key once")
          try context.accept(fault, as: "all values are kept")
        }
        lastUser[numberOfObject[entry.key]] = container
      }
    }
  }

  // MARK: Nesting

  /// A container whose contents are being visited.
  private struct Visit {
    let container: Int
    let contents: [Int]
    var next = 0
    var height = 0
  }

  private func validateNesting(depth limit: Int) throws(KeyedArchiveError) {
    // The height of each container: 0 not visited, -1 being visited.
    var heights = [Int](repeating: 0, count: list.objects.count)
    for start in list.objects.indices where heights[start] == 0 {
      guard let contents = list.objects[start].contents else { continue }
      heights[start] = -1
      var visits = [Visit(container: start, contents: contents)]
      while var visit = visits.popLast() {
        guard visit.next < visit.contents.count else {
          heights[visit.container] = visit.height + 1
          guard visit.height < limit else {
            throw KeyedArchiveError(
              .depthLimit, at: list.offset(of: visit.container), "nesting", expected: "at most \(limit) levels", found: "more")
          }
          if let parent = visits.indices.last { visits[parent].height = max(visits[parent].height, visit.height + 1) }
          continue
        }
        let child = visit.contents[visit.next]
        visit.next += 1
        if heights[child] > 0 { visit.height = max(visit.height, heights[child]) }
        visits.append(visit)
        guard heights[child] == 0, let contents = list.objects[child].contents else {
          guard heights[child] != -1 else {
            throw KeyedArchiveError(.containerCycle, at: list.offset(of: child), "container", expected: "one that does not contain itself")
          }
          continue
        }
        heights[child] = -1
        visits.append(Visit(container: child, contents: contents))
      }
    }
  }
}

extension PropertyList.Object {
  /// The numbers of the objects in a container, keys first; nil for other objects.
  package var contents: [Int]? {
    switch self {
    case .array(let numbers), .set(let numbers): numbers
    case .dictionary(let entries): entries.map(\.key) + entries.map(\.value)
    default: nil
    }
  }
}
