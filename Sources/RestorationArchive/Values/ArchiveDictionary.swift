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
    let index = (0..<entries.count).first(past: { entries.key(at: $0).compareText(with: key) >= 0 })
    return (index, index < entries.count && entries.key(at: index).isIdenticalText(to: key))
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
      return entries.items[index].value
    }
    set {
      let (index, isPresent) = place(of: key)
      switch (newValue, isPresent) {
      case (let value?, true): entries.items[index].value = value
      case (let value?, false): entries.insert(Entry(key: key, value: value), at: index)
      case (nil, true): entries.items.remove(at: index)
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
    if isPresent { entries.items[index].isSensitive = isSensitive }
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

/// The entries of a dictionary, with keys stored separately from values.
///
/// An entry refers to its key by index in a list, which all dictionaries of a decoded tree share:
///
///     keys      [ column | row | title ]              of the archive
///     items     [ key 1: 7 | key 2: "Draft" ]         of one dictionary
///
/// Reference counting is thus needed once per dictionary, instead of once per long key, and an entry takes 24 bytes
/// instead of 40.
struct EntryList: Sendable {
  /// An entry, with the index of its key.
  struct Item {
    var value: ArchiveValue
    var isSensitive: Bool
    let key: UInt32
  }

  /// The keys; nil if there are none.
  private var keys: KeyList?
  fileprivate var items: [Item] = []

  /// Creates an empty list.
  init() {}

  /// Creates a list of items whose keys are in a possibly shared list.
  init(_ items: [Item], keys: KeyList) {
    self.items = items
    self.keys = keys
  }

  /// Creates a list of entries with its own keys.
  init(_ entries: [ArchiveDictionary.Entry]) {
    items = entries.enumerated().map { Item(value: $1.value, isSensitive: $1.isSensitive, key: UInt32($0)) }
    keys = KeyList(shared: [], own: entries.map(\.key))
  }

  /// The number of entries.
  var count: Int { items.count }

  /// The entry at `index`.
  subscript(index: Int) -> ArchiveDictionary.Entry {
    ArchiveDictionary.Entry(key: key(at: index), value: items[index].value, isSensitive: items[index].isSensitive)
  }

  /// Returns the key of the entry at `index`.
  func key(at index: Int) -> String {
    keys?[Int(items[index].key)] ?? ""
  }

  /// Returns whether another list has the same entry at the same index.
  func hasSameEntry(as other: EntryList, at index: Int) -> Bool {
    items[index].isSensitive == other.items[index].isSensitive && key(at: index).isIdenticalText(to: other.key(at: index))
      && items[index].value == other.items[index].value
  }

  /// Inserts an entry before the one at `index`, or at the end.
  ///
  /// - Complexity: O(n); amortized O(1) at the end, unless another list shares the keys.
  mutating func insert(_ entry: ArchiveDictionary.Entry, at index: Int) {
    // Removed entries leave their keys behind; compact them.
    if let keys, keys.own.count > 2 * count + 8 { self = EntryList(items.indices.map { self[$0] }) }
    if !isKnownUniquelyReferenced(&keys) { keys = KeyList(shared: keys?.shared ?? [], own: keys?.own ?? []) }
    let place = keys?.count ?? 0
    keys?.own.append(entry.key)
    items.insert(Item(value: entry.value, isSensitive: entry.isSensitive, key: UInt32(place)), at: index)
  }
}

/// Keys to which dictionary entries refer by index (``EntryList``).
///
/// Safe to share across threads: lists are copied on write, and only a uniquely referenced list is mutated.
final class KeyList: @unchecked Sendable {
  /// The keys shared with other lists, at the same indexes.
  let shared: [String]
  /// The keys of one dictionary, which follow the shared ones.
  fileprivate(set) var own: [String]

  /// Creates a list.
  init(shared: [String], own: [String] = []) {
    self.shared = shared
    self.own = own
  }

  /// The number of keys.
  var count: Int { shared.count + own.count }

  /// The key at an index.
  subscript(place: Int) -> String {
    place < shared.count ? shared[place] : own[place - shared.count]
  }
}
