/// Keys that the entries of dictionaries name by their places (``EntryList``).
final class KeyList: Sendable {
  /// Those that other lists have too, at the same places.
  let shared: [String]
  /// Those behind them, of one dictionary.
  let own: [String]

  /// Makes a list.
  init(shared: [String], own: [String] = []) {
    self.shared = shared
    self.own = own
  }

  /// The number of keys.
  var count: Int { shared.count + own.count }

  /// The key at a place.
  subscript(place: Int) -> String {
    place < shared.count ? shared[place] : own[place - shared.count]
  }
}
