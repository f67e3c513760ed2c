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
