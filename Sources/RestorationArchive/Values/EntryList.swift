import ArchiveFormat

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
  private var items: [Item]

  /// Creates an empty list.
  init() {
    items = []
  }

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

  /// Returns the value of the entry at `index`.
  func value(at index: Int) -> ArchiveValue {
    items[index].value
  }

  /// Returns whether another list has the same entry at the same index.
  func hasSameEntry(as other: EntryList, at index: Int) -> Bool {
    items[index].isSensitive == other.items[index].isSensitive && key(at: index).isIdenticalText(to: other.key(at: index))
      && items[index].value == other.items[index].value
  }

  // MARK: Changing

  /// Replaces the value of the entry at `index`.
  mutating func setValue(_ value: ArchiveValue, at index: Int) {
    items[index].value = value
  }

  /// Sets or removes the mark of the entry at `index`.
  mutating func setSensitive(_ isSensitive: Bool, at index: Int) {
    items[index].isSensitive = isSensitive
  }

  /// Inserts an entry before the one at `index`, or at the end.
  ///
  /// - Complexity: O(n); amortized O(1) at the end, unless another list shares the keys.
  mutating func insert(_ entry: ArchiveDictionary.Entry, at index: Int) {
    // Removed entries leave their keys behind; compact them.
    if let keys, keys.own.count > 2 * count + 8 { self = EntryList(items.indices.map { self[$0] }) }
    if !isKnownUniquelyReferenced(&keys) { keys = KeyList(copying: keys) }
    let place = keys?.count ?? 0
    keys?.append(entry.key)
    items.insert(Item(value: entry.value, isSensitive: entry.isSensitive, key: UInt32(place)), at: index)
  }

  /// Removes the entry at `index`.
  mutating func remove(at index: Int) {
    items.remove(at: index)
  }
}

/// Keys to which dictionary entries refer by index (``EntryList``).
///
/// Safe to share across threads: lists are copied on write, and only a uniquely referenced list is mutated.
final class KeyList: @unchecked Sendable {
  /// The keys shared with other lists, at the same indexes.
  let shared: [String]
  /// The keys of one dictionary, which follow the shared ones.
  private(set) var own: [String]

  /// Creates a list.
  init(shared: [String], own: [String] = []) {
    self.shared = shared
    self.own = own
  }

  /// Creates a copy of a list, or an empty list.
  convenience init(copying other: KeyList?) {
    self.init(shared: other?.shared ?? [], own: other?.own ?? [])
  }

  /// The number of keys.
  var count: Int { shared.count + own.count }

  /// The key at an index.
  subscript(place: Int) -> String {
    place < shared.count ? shared[place] : own[place - shared.count]
  }

  /// Appends a key; only for a list with no other references.
  func append(_ key: String) {
    own.append(key)
  }
}
