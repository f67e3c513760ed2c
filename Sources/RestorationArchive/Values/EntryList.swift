import ArchiveFormat

/// The entries of a dictionary, with their keys apart from their values.
///
/// An entry names its key by a place in a list, which all dictionaries of a tree that was decoded share:
///
///     keys      [ column | row | title ]              of the archive
///     items     [ key 1: 7 | key 2: "Draft" ]         of one dictionary
///
/// So a reference is counted once a dictionary, instead of one to the text of each key that is too long to be kept in line, and an entry
/// takes 24 bytes instead of 40.
struct EntryList: Sendable {
  /// An entry, its key by its place in the list of keys.
  struct Item {
    var value: ArchiveValue
    var isSensitive: Bool
    let key: UInt32
  }

  /// Nil if there are none.
  private var keys: KeyList?
  private var items: [Item]

  /// Makes an empty list.
  init() {
    items = []
  }

  /// Makes a list of items whose keys are in a list that others may share.
  init(_ items: [Item], keys: KeyList) {
    self.items = items
    self.keys = keys
  }

  /// Makes a list of entries, with keys of its own.
  init(_ entries: [ArchiveDictionary.Entry]) {
    items = entries.enumerated().map { Item(value: $1.value, isSensitive: $1.isSensitive, key: UInt32($0)) }
    keys = KeyList(shared: [], own: entries.map(\.key))
  }

  /// The number of entries.
  var count: Int { items.count }

  /// The entry at a place.
  subscript(index: Int) -> ArchiveDictionary.Entry {
    ArchiveDictionary.Entry(key: key(at: index), value: items[index].value, isSensitive: items[index].isSensitive)
  }

  /// The key of the entry at a place.
  func key(at index: Int) -> String {
    keys?[Int(items[index].key)] ?? ""
  }

  /// The value of the entry at a place.
  func value(at index: Int) -> ArchiveValue {
    items[index].value
  }

  /// Whether another list has the same entry at the same place.
  func hasSameEntry(as other: EntryList, at index: Int) -> Bool {
    items[index].isSensitive == other.items[index].isSensitive && key(at: index).isIdenticalText(to: other.key(at: index))
      && items[index].value == other.items[index].value
  }

  // MARK: Changing

  /// Gives the entry at a place another value.
  mutating func setValue(_ value: ArchiveValue, at index: Int) {
    items[index].value = value
  }

  /// Marks the entry at a place, or takes the mark away.
  mutating func setSensitive(_ isSensitive: Bool, at index: Int) {
    items[index].isSensitive = isSensitive
  }

  /// Puts an entry in front of the one at `index`, or behind the last one.
  ///
  /// - Complexity: O(n); amortized O(1) at the end, unless another list has the same keys.
  mutating func insert(_ entry: ArchiveDictionary.Entry, at index: Int) {
    // Entries that were removed have left their keys behind.
    if let keys, keys.own.count > 2 * count + 8 { self = EntryList(items.indices.map { self[$0] }) }
    if !isKnownUniquelyReferenced(&keys) { keys = KeyList(copying: keys) }
    let place = keys?.count ?? 0
    keys?.append(entry.key)
    items.insert(Item(value: entry.value, isSensitive: entry.isSensitive, key: UInt32(place)), at: index)
  }

  /// Removes the entry at a place.
  mutating func remove(at index: Int) {
    items.remove(at: index)
  }
}
