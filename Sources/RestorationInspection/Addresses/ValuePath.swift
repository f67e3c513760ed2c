package import RestorationArchive

/// A value within a value: under the keys of dictionaries, at the indexes of arrays, and through data that is a property
/// list.
package enum ValuePath {
  /// Returns the entry under the first key, or a part of its value; nil if there is none.
  ///
  /// What is inside a sensitive value is sensitive: if such values are hidden, nothing inside is looked up, so that no answer
  /// tells which keys are there.
  ///
  /// - Parameters:
  ///   - keys: The key of the state, and those within its value.
  ///   - state: The state.
  ///   - sensitive: Whether sensitive values are hidden.
  /// - Returns: The entry, with the last key; or the number of keys that lead somewhere, and those that are there.
  package static func entry(
    _ keys: ArraySlice<String>, in state: ArchiveDictionary, sensitive: SensitiveValues = .redact
  ) -> Result<ArchiveDictionary.Entry, Absence> {
    var current = ArchiveDictionary.Entry(key: "", value: .dictionary(state))
    // The objects out of line of the current list.
    var objects = OutOfLineObjects(state)
    for (depth, key) in keys.enumerated() {
      current = objects.resolved(current)
      if case .data(let data) = current.value, let values = DataContent.values(in: data, upTo: .max) {
        objects = OutOfLineObjects(values)
        current.value = .dictionary(values)
        // The outermost value of a list that is no dictionary needs no name.
        if values.count <= 2, find(key, in: current.value) == nil, let root = values.entry(forKey: "root") {
          current = objects.resolved(root.within(current))
        }
      }
      let isHidden = sensitive.hides(current.isSensitive)
      guard !isHidden, let found = find(key, in: current.value) else {
        return .failure(Absence(depth: depth, candidates: isHidden ? [] : candidates(in: current.value), isHidden: isHidden))
      }
      current = found.within(current)
    }
    return .success(keys.count > 1 ? objects.resolved(current) : current)
  }

  /// The place where no value was found.
  package struct Absence: Error {
    /// The number of keys that lead somewhere.
    package let depth: Int
    /// The keys that are there; none if they are hidden.
    package let candidates: [String]
    /// Whether the keys lead to a sensitive value that is hidden, with everything inside it.
    package let isHidden: Bool
  }

  /// The objects of a list that are written out of line.
  private struct OutOfLineObjects {
    private let objects: ArchiveDictionary
    private let isSensitive: Bool

    init(_ values: ArchiveDictionary) {
      let entry = values.entry(forKey: "$objects")
      isSensitive = entry?.isSensitive == true
      objects = if case .dictionary(let objects)? = entry?.value { objects } else { [:] }
    }

    /// Returns an entry with the object that its value stands for if that is out of line; each mark on the way to the object
    /// makes it sensitive.
    func resolved(_ entry: ArchiveDictionary.Entry) -> ArchiveDictionary.Entry {
      guard case .dictionary(let entries) = entry.value, entries.count == 1, let link = entries.entry(forKey: "$object"),
        case .integer(let number) = link.value, let object = objects.entry(forKey: "\(number)")
      else { return entry }
      let isSensitive = entry.isSensitive || link.isSensitive || isSensitive || object.isSensitive
      return ArchiveDictionary.Entry(key: entry.key, value: object.value, isSensitive: isSensitive)
    }
  }

  private static func find(_ key: String, in value: ArchiveValue) -> ArchiveDictionary.Entry? {
    switch value {
    case .dictionary(let entries):
      if let entry = entries.first(where: { $0.key.utf8.elementsEqual(key.utf8) }) { return entry }
      guard let others = entries.entry(forKey: "$entries"), case .array(let pairs) = others.value else { return nil }
      for case .array(let pair) in pairs where pair.count == 2 && pair[0] == .string(key) {
        return ArchiveDictionary.Entry(key: key, value: pair[1], isSensitive: others.isSensitive)
      }
      return nil
    case .array(let elements):
      return Int(key).flatMap { elements.indices.contains($0) ? ArchiveDictionary.Entry(key: key, value: elements[$0]) : nil }
    default: return nil
    }
  }

  private static func candidates(in value: ArchiveValue) -> [String] {
    if case .dictionary(let entries) = value { entries.map(\.key) } else { [] }
  }

  // MARK: Words

  /// Returns the keys that words stand for: each is a key, or an address such as `history[1].title`.
  ///
  /// A word that is a key in its place is that key, whatever characters it has. A key may also be in quotes, or as it is
  /// printed. If nothing is found, the word is split at each full stop and bracket, so that ``entry(_:in:)`` tells how
  /// far it leads.
  package static func keys(
    _ words: some Sequence<String>, in state: ArchiveDictionary, sensitive: SensitiveValues = .redact
  ) -> [String] {
    var keys: [String] = []
    let isThere = { if case .success = entry($0, in: state, sensitive: sensitive) { true } else { false } }
    for word in words {
      if isThere(keys + [word]) { keys.append(word) } else { expand(word, &keys, isThere) }
    }
    return keys
  }

  private static func expand(_ word: String, _ keys: inout [String], _ isThere: (ArraySlice<String>) -> Bool) {
    var rest = Array(word.utf8)[...]
    repeat {
      let candidates = firstKeys(of: rest)
      var choice = (key: candidates.last?.key ?? String(decoding: rest, as: UTF8.self), end: candidates.last?.end ?? rest.endIndex)
      for candidate in candidates {
        let printed = candidate.key.unescapedFromDisplay
        guard let key = [candidate.key, printed].first(where: { isThere(keys + [$0]) }) else { continue }
        choice = (key, candidate.end)
        break
      }
      keys.append(choice.key)
      rest = rest[choice.end...]
      if rest.first == UInt8(ascii: ".") { rest.removeFirst() }
    } while !rest.isEmpty
  }

  /// Returns the keys with which an address may begin, the longest first, and where each ends.
  private static func firstKeys(of text: ArraySlice<UInt8>) -> [(key: String, end: Int)] {
    let (stop, open, close, quote) = (UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""))
    if text.first == open, let end = text.firstIndex(of: close) {
      return [(String(decoding: text[(text.startIndex + 1)..<end], as: UTF8.self), end + 1)]
    }
    let isQuoted = text.first == quote
    let start = text.startIndex + (isQuoted ? 1 : 0)
    let ends = text.indices.dropFirst().filter { text[$0] == stop || text[$0] == open } + [text.endIndex]
    return ends.reversed().compactMap { end in
      guard isQuoted else { return (String(decoding: text[start..<end], as: UTF8.self), end) }
      guard end > start, text[end - 1] == quote else { return nil }
      return (String(decoding: text[start..<(end - 1)], as: UTF8.self), end)
    }
  }
}

extension ArchiveDictionary.Entry {
  /// Returns the entry as one of a value that may be sensitive: what is inside such a value is sensitive too.
  fileprivate func within(_ outer: ArchiveDictionary.Entry) -> ArchiveDictionary.Entry {
    ArchiveDictionary.Entry(key: key, value: value, isSensitive: isSensitive || outer.isSensitive)
  }
}
