/// Finds the probable intention behind a misspelled word.
package enum Suggestion {
  /// Returns the candidate nearest to a word, or nil if none is near: at most one change in three characters.
  ///
  /// - Complexity: O(n × m) per candidate, in the lengths of word and candidate. Words of more than 64 characters or
  ///   ``maximumByteCount`` get no suggestion, and are none.
  package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    guard word.utf8.count <= maximumByteCount else { return nil }
    let word = Array(word)
    guard !word.isEmpty, word.count <= 64 else { return nil }
    var best: (candidate: String, distance: Int)?
    for candidate in candidates where candidate.utf8.count <= maximumByteCount {
      let characters = Array(candidate)
      guard characters.count <= 64, abs(characters.count - word.count) * 3 <= max(3, word.count) else { continue }
      let distance = distance(word, characters)
      guard distance * 3 <= max(3, word.count, characters.count), distance < best?.distance ?? .max else { continue }
      best = (candidate, distance)
    }
    return best?.candidate
  }

  /// The largest length of a word in UTF-8: a character may have any number of marks, and comparing two of them normalizes both.
  private static let maximumByteCount = 1024

  /// Returns the number of insertions, deletions, replacements and swaps of neighbors that turn one word into the
  /// other.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        var cost = min(last[column + 1] + 1, current[column] + 1, last[column] + (left[row] == right[column] ? 0 : 1))
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
