import ArchiveFormat

/// Values by key, in the order in which an archive stores them: ascending by the UTF-8 bytes of the keys (Spec §2, rule R-6.2-3).
///
/// It differs from `[String: ArchiveValue]` in three ways. Keys compare byte by byte, so the same text in two normalization forms is two
/// keys. The order is fixed, so that two dictionaries with the same entries look the same everywhere. And an entry can be marked as
/// *sensitive*, which asks tools to hide its value.
///
///     var state: ArchiveDictionary = ["zoom": 1.5, "title": "Draft"]
///     state["row"] = 7
///     state.setSensitive(true, forKey: "title")
public struct ArchiveDictionary: Sendable {
  /// A key, its value, and whether tools should hide that.
  public struct Entry: Sendable {
    /// The key.
    public let key: String
    /// The value.
    public var value: ArchiveValue
    /// Whether tools should hide the value.
    public var isSensitive: Bool

    /// Makes an entry.
    public init(key: String, value: ArchiveValue, isSensitive: Bool = false) {
      self.key = key
      self.value = value
      self.isSensitive = isSensitive
    }
  }

  private var entries: EntryList

  /// Makes an empty dictionary.
  public init() {
    entries = EntryList()
  }

  /// Makes a dictionary of entries; where a key comes more than once, the last one counts.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public init(_ entries: some Sequence<Entry>) {
    self.init(unsorted: Array(entries))
  }

  /// Makes a dictionary of keys and values; where a key comes more than once, the last one counts.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public init(_ pairs: some Sequence<(String, ArchiveValue)>) {
    self.init(unsorted: pairs.map { Entry(key: $0.0, value: $0.1) })
  }

  /// Takes over entries in any order.
  @usableFromInline
  init(unsorted entries: [Entry]) {
    self.entries = EntryList(Self.isSorted(entries) ? entries : Self.sorted(entries))
  }

  /// Takes over entries that are in order already.
  init(sorted entries: EntryList) {
    self.entries = entries
  }

  /// Whether each key comes before the next one.
  private static func isSorted(_ entries: [Entry]) -> Bool {
    zip(entries, entries.dropFirst()).allSatisfy { $0.key.compareText(with: $1.key) < 0 }
  }

  /// The entries in the order of their keys, of each key the last one.
  private static func sorted(_ entries: [Entry]) -> [Entry] {
    var sorted: [Entry] = []
    sorted.reserveCapacity(entries.count)
    // Sorting keeps the order of entries with the same key.
    for entry in entries.sorted(by: { $0.key.compareText(with: $1.key) < 0 }) {
      if let last = sorted.last, last.key.isIdenticalText(to: entry.key) { sorted.removeLast() }
      sorted.append(entry)
    }
    return sorted
  }

  /// Where a key is, or where it would be put in.
  private func place(of key: String) -> (index: Int, isPresent: Bool) {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      let order = entries.key(at: middle).compareText(with: key)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle + 1 } else { high = middle }
    }
    return (low, false)
  }

  /// The value under a key, or nil if there is none.
  ///
  /// Setting nil removes the entry; setting a value keeps the mark of an entry that exists.
  ///
  /// - Complexity: O(log n) to get; O(n) to put in or remove.
  public subscript(key: String) -> ArchiveValue? {
    get {
      let (index, isPresent) = place(of: key)
      // Not `? :`, to which nil is a null value.
      guard isPresent else { return nil }
      return entries.value(at: index)
    }
    set {
      let (index, isPresent) = place(of: key)
      switch (newValue, isPresent) {
      case (let value?, true): entries.setValue(value, at: index)
      case (let value?, false): entries.insert(Entry(key: key, value: value), at: index)
      case (nil, true): entries.remove(at: index)
      case (nil, false): break
      }
    }
  }

  /// The entry under a key, or nil if there is none.
  ///
  /// - Complexity: O(log n).
  public func entry(forKey key: String) -> Entry? {
    let (index, isPresent) = place(of: key)
    return isPresent ? entries[index] : nil
  }

  /// Says whether tools should hide the value under a key; does nothing if there is none.
  public mutating func setSensitive(_ isSensitive: Bool, forKey key: String) {
    let (index, isPresent) = place(of: key)
    if isPresent { entries.setSensitive(isSensitive, at: index) }
  }
}

extension ArchiveDictionary: RandomAccessCollection {
  /// The place of the first entry.
  public var startIndex: Int { 0 }
  /// The place behind the last entry.
  public var endIndex: Int { entries.count }
  /// The entry at a place in ascending order of keys.
  public subscript(position: Int) -> Entry { entries[position] }
}

extension ArchiveDictionary.Entry: Equatable {
  /// Whether key, value and mark are the same bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.key.isIdenticalText(to: right.key) && left.isSensitive == right.isSensitive && left.value == right.value
  }
}

extension ArchiveDictionary: Equatable {
  /// Whether both have the same entries.
  public static func == (left: ArchiveDictionary, right: ArchiveDictionary) -> Bool {
    left.count == right.count && left.indices.allSatisfy { left.entries.hasSameEntry(as: right.entries, at: $0) }
  }
}

extension ArchiveDictionary: ExpressibleByDictionaryLiteral {
  /// Makes a dictionary of keys and values; where a key comes more than once, the last one counts.
  public init(dictionaryLiteral elements: (String, ArchiveValue)...) {
    // What a default argument says at every call.
    if elements.isEmpty { self.init() } else { self.init(elements) }
  }
}
