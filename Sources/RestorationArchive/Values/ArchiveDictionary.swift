import ArchiveFormat

/// A dictionary of values in the archive's order: ascending by the UTF-8 bytes of the keys (Spec §2, rule R-6.2-3).
///
/// It differs from `[String: ArchiveValue]` in three ways. Keys compare byte by byte, so two normalization forms of a
/// text are different keys. The order is fixed, so equal dictionaries always print alike. And an entry can be marked as
/// *sensitive*, which asks tools to hide its value.
///
///     var state: ArchiveDictionary = ["zoom": 1.5, "title": "Draft"]
///     state["row"] = 7
///     state.setSensitive(true, forKey: "title")
public struct ArchiveDictionary: Sendable {
  /// A key, its value, and its sensitive mark.
  public struct Entry: Sendable {
    /// The key.
    public let key: String
    /// The value.
    public var value: ArchiveValue
    /// Whether tools should hide the value.
    public var isSensitive: Bool

    /// Creates an entry.
    public init(key: String, value: ArchiveValue, isSensitive: Bool = false) {
      self.key = key
      self.value = value
      self.isSensitive = isSensitive
    }
  }

  private var entries: EntryList

  /// Creates an empty dictionary.
  public init() {
    entries = EntryList()
  }

  /// Creates a dictionary of entries; for a repeated key, the last entry wins.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public init(_ entries: some Sequence<Entry>) {
    self.init(unsorted: Array(entries))
  }

  /// Creates a dictionary of keys and values; for a repeated key, the last value wins.
  ///
  /// - Complexity: O(n log n).
  @inlinable
  public init(_ pairs: some Sequence<(String, ArchiveValue)>) {
    self.init(unsorted: pairs.map { Entry(key: $0.0, value: $0.1) })
  }

  /// Creates a dictionary of entries in any order.
  @usableFromInline
  init(unsorted entries: [Entry]) {
    self.entries = EntryList(Self.isSorted(entries) ? entries : Self.sorted(entries))
  }

  /// Creates a dictionary of sorted entries.
  init(sorted entries: EntryList) {
    self.entries = entries
  }

  /// Returns whether each key precedes the next one.
  private static func isSorted(_ entries: [Entry]) -> Bool {
    zip(entries, entries.dropFirst()).allSatisfy { $0.key.compareText(with: $1.key) < 0 }
  }

  /// Returns the entries sorted by key, with only the last entry of each key.
  private static func sorted(_ entries: [Entry]) -> [Entry] {
    var sorted: [Entry] = []
    sorted.reserveCapacity(entries.count)
    // The sort is stable: entries with the same key keep their order.
    for entry in entries.sorted(by: { $0.key.compareText(with: $1.key) < 0 }) {
      if let last = sorted.last, last.key.isIdenticalText(to: entry.key) { sorted.removeLast() }
      sorted.append(entry)
    }
    return sorted
  }

  /// Returns the index of a key, or its insertion point.
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
  /// Setting nil removes the entry. Setting a value keeps the mark of an existing entry.
  ///
  /// - Complexity: O(log n) to get; O(n) to insert or remove.
  public subscript(key: String) -> ArchiveValue? {
    get {
      let (index, isPresent) = place(of: key)
      // Not `? :`, which would turn nil into a null value.
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

  /// Returns the entry under a key, or nil if there is none.
  ///
  /// - Complexity: O(log n).
  public func entry(forKey key: String) -> Entry? {
    let (index, isPresent) = place(of: key)
    return isPresent ? entries[index] : nil
  }

  /// Sets whether tools should hide the value under a key; does nothing if there is none.
  public mutating func setSensitive(_ isSensitive: Bool, forKey key: String) {
    let (index, isPresent) = place(of: key)
    if isPresent { entries.setSensitive(isSensitive, at: index) }
  }
}

extension ArchiveDictionary: RandomAccessCollection {
  /// The position of the first entry.
  public var startIndex: Int { 0 }
  /// The position after the last entry.
  public var endIndex: Int { entries.count }
  /// The entry at a position, in ascending key order.
  public subscript(position: Int) -> Entry { entries[position] }
}

extension ArchiveDictionary.Entry: Equatable {
  /// Returns whether the key, value and mark have the same bytes.
  public static func == (left: Self, right: Self) -> Bool {
    left.key.isIdenticalText(to: right.key) && left.isSensitive == right.isSensitive && left.value == right.value
  }
}

extension ArchiveDictionary: Equatable {
  /// Returns whether both dictionaries have the same entries.
  public static func == (left: ArchiveDictionary, right: ArchiveDictionary) -> Bool {
    left.count == right.count && left.indices.allSatisfy { left.entries.hasSameEntry(as: right.entries, at: $0) }
  }
}

extension ArchiveDictionary: ExpressibleByDictionaryLiteral {
  /// Creates a dictionary of keys and values; for a repeated key, the last value wins.
  public init(dictionaryLiteral elements: (String, ArchiveValue)...) {
    // Default arguments use this path at every call.
    if elements.isEmpty { self.init() } else { self.init(elements) }
  }
}
