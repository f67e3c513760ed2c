import RestorationArchive

/// The operations of a ``Restored`` property, independent of its value type.
protocol RestoredProperty {
  /// The explicit key; nil if the property uses its name.
  var fixedKey: String? { get }
  /// Directs future changes to `signal`; nil without automatic saving.
  func claim(for signal: ChangeSignal?)
  func encode(with coder: StateEncoder, key: String) throws
  func decode(with coder: StateDecoder, key: String) throws
}
