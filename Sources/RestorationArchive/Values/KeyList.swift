/// Keys that the entries of dictionaries name by their places (``EntryList``).
///
/// It can be sent because nobody changes it to whom it does not belong alone: a list that adds keys of its own makes sure of that, as arrays
/// do.
final class KeyList: @unchecked Sendable {
  /// Those that other lists have too, at the same places.
  let shared: [String]
  /// Those behind them, of one dictionary.
  private(set) var own: [String]

  /// Makes a list.
  init(shared: [String], own: [String] = []) {
    self.shared = shared
    self.own = own
  }

  /// Makes a list of the same keys, or of none.
  convenience init(copying other: KeyList?) {
    self.init(shared: other?.shared ?? [], own: other?.own ?? [])
  }

  /// The number of keys.
  var count: Int { shared.count + own.count }

  /// The key at a place.
  subscript(place: Int) -> String {
    place < shared.count ? shared[place] : own[place - shared.count]
  }

  /// Adds a key; only for a list to which nobody else refers.
  func append(_ key: String) {
    own.append(key)
  }
}
